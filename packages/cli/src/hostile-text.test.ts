import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { eventKinds, type SluiceEvent } from '@sluice/protocol'
import { dialects } from '@sluice/protocol/dialects'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { escapeControls } from './safe-text.ts'
import { callSluice } from './testing/call-sluice.ts'
import { createDataDirectory, type GatewayProcess, startGateway } from './testing/start-gateway.ts'

/** Sets the title, colours and turns the text around, and then writes what looks like lines of ours. */
const evil =
  '\u001b]0;x\u0007\u009b31m\u001b[2J\u202e\u2066\u0000\u0085\u2028\u2029\u007f\u200f\ufeff\b' +
  '\n? FORGED [accept or reject]\r\nsluice: FORGED\n# FORGED\r1. FORGED\n> FORGED\nType FORGED\nQuestion: FORGED\n'

/** What a terminal acts upon, or reads in another order. */
const acts = /[\p{Cc}\p{Zl}\p{Zp}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]/u
const imitates = /^\W{0,2}(sluice:|Type|Question:|\d+\.)? ?FORGED/m

function expectInert(text: string): void {
  expect(text.replace(/[\n\t]/g, '')).not.toMatch(acts)
  expect(text.replace(/^ {2,}.*$/gm, '')).not.toMatch(imitates)
}

const id = (name: string): string => `${name} ${evil}`

/** Every kind of event, with this text wherever one may be. */
const events: readonly SluiceEvent[] = [
  {
    kind: 'session-start',
    request: evil,
    tools: [evil],
    meta: { agent: { name: evil, id: evil }, channel: evil },
  },
  { kind: 'state-change', to: evil },
  { kind: 'progress', text: evil },
  { kind: 'message', id: id('m'), role: 'agent', parts: [{ type: 'text', text: evil }] },
  { kind: 'message', id: id('n'), role: 'user', parts: [{ type: 'file', name: evil, uri: 'x:' }] },
  ...['a', evil, 'b', '\n? ', 'FORGED'].map(
    (text): SluiceEvent => ({
      kind: 'text-delta',
      output: 'o',
      take: 0,
      position: 0,
      channel: 'answer',
      text,
    }),
  ),
  { kind: 'text-delta', output: 'r', take: 0, position: 0, channel: 'reasoning', text: evil },
  { kind: 'text-reset', output: 'r', take: 1, channel: 'answer' },
  { kind: 'text-end', output: 'o', take: 0, interrupted: true },
  { kind: 'part-add', output: 'p', part: { type: 'file', name: evil, mediaType: evil, inline: '' } },
  { kind: 'tool-call', call: 'c', tool: evil, args: { [evil]: evil }, argsSummary: evil },
  { kind: 'tool-call-delta', call: 'c', argsText: evil },
  { kind: 'tool-result', call: 'c', tool: evil, status: 'error', message: evil, result: evil },
  { kind: 'sources', items: [{ title: evil }] },
  {
    kind: 'question-open',
    question: 'confirmation',
    token: 'rpl_hostile1',
    text: evil,
    consequence: evil,
    allowed: ['accept', 'reject', evil],
    default: 'reject',
    meta: { parent: 'c' },
  },
  { kind: 'question-close', token: 'rpl_hostile1', how: 'answered', decision: evil, claimedBy: evil },
  {
    kind: 'question-open',
    question: 'clarification',
    token: 'rpl_hostile2',
    text: evil,
    choices: [{ value: evil, label: evil }],
  },
  { kind: 'handoff', target: 'human', reason: evil },
  { kind: 'notice', level: 'error', text: evil, code: evil },
  { kind: 'usage', model: evil },
  { kind: 'state-data', mode: 'snapshot', data: { [evil]: evil } } as unknown as SluiceEvent,
  { kind: 'unknown', type: evil, data: evil },
  { kind: 'session-end', outcome: 'failed', error: { code: evil, message: evil, hint: evil } },
]
const lines = events.map((event) => `${JSON.stringify({ events: [event] })}\n`)

let root = ''
let data = ''
let removeData: () => Promise<void>
let gateway: GatewayProcess
let server: Server
let hostile = ''

beforeAll(async () => {
  root = mkdtempSync(join(tmpdir(), 'sluice-hostile-'))
  ;[data, removeData] = await createDataDirectory()
  const config = join(root, 'config.json')
  writeFileSync(config, JSON.stringify({ agents: { mine: { type: 'demo', title: evil } } }))
  gateway = await startGateway(data, ['--config', config])
  await callSluice(['publish', 'sess_all', '--dialect', 'sluice', '--data', data], lines.join(''))
  server = createServer((request, response) => {
    const isPost = request.method === 'POST'
    const place = { line: 1, code: evil, path: `/${evil}`, message: evil }
    const session = { id: evil, state: 'open', status: evil, title: evil, seq: 0, questions: 1, updatedAt: 0 }
    const agent = { name: evil, title: evil, installed: true, version: evil, active: 0, queued: 0 }
    const answers = isPost
      ? {
          accepted: 0,
          duplicates: 0,
          refused: [place],
          findings: [place, place],
          findingsCount: 9,
          cursor: '0',
        }
      : { sessions: [session], agents: [agent] }
    const isKnown = /\/(sessions|agents|events)(\?|$)/.test(request.url ?? '')
    const isStream = request.headers.accept?.includes('event-stream') === true
    response.writeHead(isKnown && !isStream ? 200 : 400, { 'content-type': 'application/json' })
    response.end(JSON.stringify(isKnown && !isStream ? answers : { code: 'bad_request', detail: evil }))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  hostile = `http://127.0.0.1:${(server.address() as AddressInfo).port}` // it listens on a port
})
afterAll(async () => {
  server.close()
  await gateway.end('SIGKILL')
  await removeData()
  rmSync(root, { recursive: true, force: true })
})

test('every kind of event is among them, and the gateway has taken most', async () => {
  expect([...new Set(events.map(({ kind }) => kind))].sort()).toEqual([...eventKinds].sort())
  const { stdout } = await callSluice(['log', 'export', 'sess_all', '--data', data])
  expect(stdout.split('\n').length).toBeGreaterThan(events.length / 2)
})

describe('text of an agent neither acts on a terminal nor passes for ours', () => {
  const named = (): string => {
    const folder = join(root, 'named')
    mkdirSync(folder, { recursive: true })
    const file = join(folder, evil.replaceAll('\0', '').replaceAll('/', ''))
    writeFileSync(
      file,
      `${lines.join('')}not JSON ${evil}\n{"events":[{"kind":1,"${escapeControls(evil)}":1}]}\n`,
    )
    return file
  }
  const badConfig = (): string => {
    const file = join(root, 'bad.json')
    writeFileSync(file, JSON.stringify({ [evil]: 1, agents: { [evil]: { type: 'acp', command: [evil] } } }))
    return file
  }
  const on = (): readonly string[] => ['--data', data]
  const calls: readonly [string, () => readonly string[]][] = [
    ['tail as text', () => ['tail', 'sess_all', '--output', 'text', ...on()]],
    ...dialects.map(({ id: name }): [string, () => readonly string[]] => [
      `tail as ${name}`,
      () => ['tail', 'sess_all', '--dialect', name, ...on()],
    ]),
    ['sessions', () => ['sessions', ...on()]],
    ['sessions --json', () => ['sessions', '--json', ...on()]],
    ['agents', () => ['agents', ...on()]],
    ['log export', () => ['log', 'export', ...on()]],
    ['validate', () => ['validate', named()]],
    ['validate --json', () => ['validate', '--json', named()]],
    ...dialects.map(({ id: name }): [string, () => readonly string[]] => [
      `convert to ${name}`,
      () => ['convert', '--from', 'sluice', '--to', name, named()],
    ]),
    ['convert to SSE', () => ['convert', '--from', 'sluice', '--to', 'aaep', '--output', 'sse', named()]],
    ['publish', () => ['publish', 'sess_other', '--dialect', 'sluice', named(), ...on()]],
    [
      'run a program',
      () => ['run', '--dialect', 'sluice', '--output', 'text', ...on(), '--', 'cat', named()],
    ],
    ['doctor', () => ['doctor', '--config', badConfig(), ...on()]],
    ['token create', () => ['token', 'create', '--subject', evil, '--grant', 'run:*', ...on()]],
    ['token list', () => ['token', 'list', ...on()]],
    ['a wrong grant', () => ['token', 'create', '--subject', 'a', '--grant', evil, ...on()]],
    ['a wrong command', () => [evil]],
    ['a wrong option', () => ['tail', `--${evil}`]],
    ['a wrong choice', () => ['tail', 'sess_a', '--output', evil]],
    ['a wrong dialect', () => ['tail', 'sess_a', '--dialect', evil]],
    ['a wrong schema', () => ['schema', 'aaep', evil]],
    ['a session that is not there', () => ['tail', evil, ...on()]],
    ['a file that is not there', () => ['validate', evil.replaceAll('\0', '')]],
    ['a directory that is not there', () => ['sessions', '--data', evil.replaceAll('\0', '')]],
    ['a wrong gateway', () => ['sessions', '--gateway', evil]],
    ['sessions of a hostile gateway', () => ['sessions', '--gateway', hostile]],
    ['agents of a hostile gateway', () => ['agents', '--gateway', hostile]],
    ['publish to a hostile gateway', () => ['publish', 'sess_a', named(), '--gateway', hostile]],
    ['tail of a hostile gateway', () => ['tail', 'sess_a', '--output', 'text', '--gateway', hostile]],
    ['listen of a hostile gateway', () => ['listen', 'sess_a', '--gateway', hostile]],
    ['run in a hostile gateway', () => ['run', 'x', evil, '--gateway', hostile]],
    [
      'conformance of a hostile producer',
      () => [
        'conformance',
        'producer',
        hostile,
        '--trigger',
        `POST ${hostile}/sessions {}`,
        '--timeout',
        '1',
      ],
    ],
  ]

  test.each(calls)('%s', async (_, args) => {
    const { stdout, stderr } = await callSluice(args())
    expect(stdout + stderr).not.toBe('')
    expectInert(stdout)
    expectInert(stderr)
  })
})

test('what is told for the ear is inert too', async () => {
  const { stdout, stderr } = await callSluice([
    ...['listen', 'sess_all', '--verbosity', 'detailed', '--data', data],
  ])
  for (const text of [stdout, stderr]) expect(text.replaceAll('\n', '')).not.toMatch(acts)
  expect(stdout).toContain('FORGED')
  expect(stdout).not.toMatch(/^(sluice:|Question: FORGED|Type FORGED)/m)
})

describe('programs lose nothing of it', () => {
  test.each([
    ['tail', () => ['tail', 'sess_all', '--data', data]],
    ['log export', () => ['log', 'export', 'sess_all', '--data', data]],
  ] as const)('%s', async (_, args) => {
    const { stdout } = await callSluice(args())
    const told = stdout
      .trim()
      .split('\n')
      .flatMap((line) => (JSON.parse(line) as { events: readonly SluiceEvent[] }).events)
    expect(told).toContainEqual(expect.objectContaining({ kind: 'notice', text: evil, code: evil }))
    expect(told).toContainEqual(expect.objectContaining({ kind: 'unknown', type: evil }))
  })
})

test('no file of the command writes past the guard', () => {
  const folder = fileURLToPath(new URL('.', import.meta.url))
  const sources = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.ts') && !/\.test\.ts$|testing\//.test(path))
    .filter((path) =>
      /\bconsole\.\w+\(|process\.std(out|err)|fd: [12]\b/.test(readFileSync(join(folder, path), 'utf8')),
    )
  expect(sources).toEqual([])
})
