import { readdirSync, readFileSync } from 'node:fs'
import {
  createSessionState,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  omitUndefined,
  type SluiceEvent,
  settle,
  tableValues,
} from '@sluice/protocol'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { CliOptions, Verdict } from '../cli/cli-agent.ts'
import type { CheckedRequest } from '../request/checked-request.ts'
import { mutatedLines, toRequest } from '../testing/replay.ts'
import { runs } from '../testing/runs.ts'
import { encodeInitialize } from './command.ts'
import { createAcpMapper } from './map.ts'
import { answerPermission } from './map-permission.ts'
import { toArray, toObject } from './native.ts'

const mapper = createAcpMapper({ title: undefined, label: 'acp' })
const fixtures = new URL('./fixtures/', import.meta.url)
const names = readdirSync(fixtures)
  .filter((name) => name.endsWith('.ndjson'))
  .map((name) => name.replace('.ndjson', ''))
const asking: CliOptions = { permissions: 'ask', askTimeoutMs: 1000 }

/** What the agent printed (`out`), and what it received (`in`). */
interface Recording {
  readonly request: CheckedRequest
  /** How its question was answered. */
  readonly decision: 'accept' | 'reject'
  readonly out: readonly JsonValue[]
  readonly in: readonly JsonValue[]
}

function readRecording(name: string): Recording {
  const text = readFileSync(new URL(`${name}.ndjson`, fixtures), 'utf8')
  const lines = text
    .trimEnd()
    .split('\n')
    .map((line): JsonObject => JSON.parse(line))
  const written = lines.flatMap((line) => line['in'] ?? [])
  const asked = (...methods: readonly string[]): JsonObject | undefined =>
    written.filter(isJsonObject).find(({ method }) => methods.includes(String(method)))
  const id = toObject(asked('session/load', 'session/resume')?.['params'])['sessionId']
  const [block] = toArray(toObject(asked('session/prompt')?.['params'])['prompt'])
  return {
    request: toRequest({
      prompt: String(toObject(block)['text']),
      ...(typeof id === 'string' ? { resume: { selector: 'id', id } } : {}),
      ...(asked('session/list') === undefined ? {} : { resume: { selector: 'last' } }),
    }),
    decision: /"optionId":"(?:reject|cancel)"}}/.test(text) ? 'reject' : 'accept',
    out: lines.flatMap((line) => line['out'] ?? []),
    in: written,
  }
}

interface Played {
  readonly events: readonly SluiceEvent[]
  readonly written: readonly JsonValue[]
  readonly verdict: Verdict | undefined
}

/** Talks to an agent that prints these lines whatever it receives. Answers questions immediately. */
function converse(
  request: CheckedRequest,
  lines: readonly JsonValue[],
  decision: Recording['decision'] = 'accept',
): Played {
  const events: SluiceEvent[] = []
  const written: JsonValue[] = [JSON.parse(encodeInitialize())]
  let verdict: Verdict | undefined
  let state = mapper.initial(request, asking)
  const take = (mapped: ReturnType<typeof mapper.step>): void => {
    state = mapped.state
    verdict ??= mapped.verdict
    events.push(...mapped.events)
    written.push(...(mapped.write ?? []).map((line): JsonValue => JSON.parse(line)))
    for (const event of mapped.events)
      if (event.kind === 'question-open')
        take(answerPermission(state, { token: event.token, how: 'answered', decision }))
  }
  for (const line of lines) take(mapper.step(state, line))
  take(mapper.end(state))
  return { events, written, verdict }
}

describe.each(names)('what a real agent said in %s', (name) => {
  const recording = readRecording(name)

  test('is answered as it was, and becomes its golden', async () => {
    const { events, written, verdict } = converse(recording.request, recording.out, recording.decision)
    expect(written).toEqual(recording.in)
    const golden = [...events, { verdict }].map((line) => `${JSON.stringify(line)}\n`).join('')
    await expect(golden).toMatchFileSnapshot(new URL(`${name}.events`, fixtures).pathname)
  })

  test('is in order as it is', () => {
    const { events } = converse(recording.request, recording.out, recording.decision)
    const all: readonly SluiceEvent[] = [{ kind: 'session-start' }, ...events]
    const settled = settle(createSessionState({ id: 'sess_1' }), all).events
    expect(settled.map(({ kind }) => kind)).toEqual(all.map(({ kind }) => kind))
    expect(settled.filter(({ meta }) => meta?.implied === true)).toEqual([])
  })

  test('or anything else in its place is read, its texts end, and every request is answered once', () => {
    fc.assert(
      fc.property(mutatedLines(recording.out), (lines) => {
        const { events, written } = converse(recording.request, lines)
        const all: readonly SluiceEvent[] = [{ kind: 'session-start' }, ...events]
        const { state } = settle(createSessionState({ id: 'sess_1' }), all)
        expect(tableValues(state.outputs).filter(({ open }) => open)).toEqual([])
        const answers = written.filter((line) => isJsonObject(line) && line['method'] === undefined)
        expect(answers).toHaveLength(lines.filter(isRequest).length)
      }),
      { numRuns: runs(200) },
    )
  })
})

function isRequest(line: JsonValue): boolean {
  if (!isJsonObject(line) || line['jsonrpc'] !== '2.0' || typeof line['method'] !== 'string') return false
  const { id } = line
  return id === null || typeof id === 'string' || typeof id === 'number'
}

const rpc = (message: JsonObject): JsonObject => ({ jsonrpc: '2.0', ...message })
const opening = [rpc({ id: 0, result: { protocolVersion: 1 } }), rpc({ id: 1, result: { sessionId: 's-1' } })]
const update = (told: JsonObject): JsonObject =>
  rpc({ method: 'session/update', params: { sessionId: 's-1', update: told } })
const chunk = (content: JsonObject, messageId?: string): JsonObject =>
  update({ sessionUpdate: 'agent_message_chunk', content, ...omitUndefined({ messageId }) })
const toolUpdate = (fields: JsonObject): JsonObject =>
  update({ sessionUpdate: 'tool_call_update', toolCallId: 't1', ...fields })

/** The events of a turn with these updates, without the session notice. */
function turn(...updates: readonly JsonObject[]): readonly SluiceEvent[] {
  return converse(toRequest(), [...opening, ...updates]).events.slice(1)
}

test('another message is another text, also when it comes behind a tool', () => {
  const told = turn(
    chunk({ type: 'text', text: 'a' }, 'm1'),
    chunk({ type: 'text', text: 'b' }, 'm1'),
    chunk({ type: 'text', text: 'c' }, 'm2'),
    toolUpdate({ status: 'in_progress' }),
    toolUpdate({ status: 'in_progress', rawInput: { late: true } }),
    chunk({ type: 'text', text: 'd' }, 'm2'),
  )
  expect(told.map((event) => ('output' in event ? `${event.kind} ${event.output}` : event.kind))).toEqual([
    'text-delta text-1',
    'text-delta text-1',
    'text-end text-1',
    'text-delta text-2',
    'text-end text-2',
    'tool-call',
    'text-delta text-3',
    'text-end text-3',
  ])
})

test.each<[string, JsonObject, JsonObject]>([
  [
    'an image',
    { type: 'image', data: 'AAAA', mimeType: 'image/png' },
    { type: 'file', mediaType: 'image/png', inline: 'AAAA' },
  ],
  [
    'a link',
    { type: 'resource_link', uri: 'file:///a', name: 'a' },
    { type: 'file', name: 'a', uri: 'file:///a' },
  ],
  [
    'a text as a resource',
    { type: 'resource', resource: { uri: 'file:///a', text: 'é' } },
    { type: 'file', inline: 'w6k=' },
  ],
  [
    'a large image',
    { type: 'image', data: 'A'.repeat(262_145) },
    { type: 'data', data: { dropped: { reason: 'oversize' } } },
  ],
])('%s in a message is a part of its output', (_, content, part) => {
  expect(turn(chunk(content))[0]).toEqual({ kind: 'part-add', output: 'text-1', part })
})

test('a call is told when it runs, with the arguments that it has by then', () => {
  const call = { sessionUpdate: 'tool_call', toolCallId: 't1', title: 'bash', kind: 'execute' }
  expect(turn(update({ ...call, status: 'pending', rawInput: { cwd: '/' } }))).toEqual([])
  expect(
    turn(
      update({ ...call, status: 'pending', rawInput: { cwd: '/' } }),
      toolUpdate({ status: 'in_progress', rawInput: { command: 'ls' }, title: 'ls' }),
    ),
  ).toEqual([{ kind: 'tool-call', call: 't1', tool: 'bash', args: { command: 'ls' } }])
})

test.each<[string, JsonObject, string]>([
  ['its name', { name: 'grep', title: 'Looks for x', kind: 'search' }, 'grep'],
  ['a title that is a name', { title: 'web_search', kind: 'fetch' }, 'web_search'],
  [
    'its kind, where the title is an argument',
    { title: 'ls', kind: 'execute', rawInput: { c: 'ls' } },
    'execute',
  ],
  ['its kind, where the title describes it', { title: 'rm -rf x', kind: 'delete' }, 'delete'],
  ['nothing', { title: 'rm -rf x', kind: 'novel' }, 'tool'],
])('a tool is called by %s', (_, fields, tool) => {
  expect(turn(toolUpdate({ ...fields, status: 'in_progress' }))).toMatchObject([{ kind: 'tool-call', tool }])
})

test('what an agent tells of itself is dropped, and what is not known is told without its content', () => {
  expect(
    turn(
      update({ sessionUpdate: 'session_info_update', title: 'SECRET' }),
      update({ sessionUpdate: 'current_mode_update', currentModeId: 'SECRET' }),
      update({ sessionUpdate: 'never_heard_of', secret: 'SECRET' }),
    ),
  ).toEqual([{ kind: 'unknown', type: 'acp.never_heard_of', data: {} }])
})

test('updates of another session, and answers to nothing, mean nothing', () => {
  const other = rpc({
    method: 'session/update',
    params: {
      sessionId: 's-2',
      update: { sessionUpdate: 'agent_message_chunk', content: { type: 'text', text: 'x' } },
    },
  })
  expect(turn(other, rpc({ id: 1, result: {} }), rpc({ id: 'x', error: { code: 1, message: 'x' } }))).toEqual(
    [],
  )
})

test('a question without options that say so much is answered with none', () => {
  const ask = rpc({
    id: 'p1',
    method: 'session/request_permission',
    params: { sessionId: 's-1', toolCall: { toolCallId: 't1' }, options: [{ optionId: 'x', kind: 'novel' }] },
  })
  const { events, written } = converse(toRequest(), [...opening, ask])
  expect(events).toContainEqual(expect.objectContaining({ kind: 'question-open', allowed: ['reject'] }))
  expect(written.at(-1)).toEqual(rpc({ id: 'p1', result: { outcome: { outcome: 'cancelled' } } }))
})

test('a final text is kept as far as anybody takes it', () => {
  const lines = Array.from({ length: 100 }, () => chunk({ type: 'text', text: 'x'.repeat(1000) }))
  const { verdict } = converse(toRequest(), [
    ...opening,
    ...lines,
    rpc({ id: 2, result: { stopReason: 'end_turn' } }),
  ])
  expect(verdict?.ok === true && verdict.finalText?.length).toBe(65_537)
})

describe('a session that was loaded', () => {
  const request = toRequest({ resume: { selector: 'id', id: 's-1' } })
  const loaded = [
    rpc({ id: 0, result: { protocolVersion: 1, agentCapabilities: { loadSession: true } } }),
    rpc({ id: 1, result: {} }),
  ]
  const user = update({ sessionUpdate: 'user_message_chunk', content: { type: 'text', text: 'go' } })
  const answer = chunk({ type: 'text', text: 'x' })
  const commands = update({ sessionUpdate: 'available_commands_update', availableCommands: [] })
  const end = rpc({ id: 2, result: { stopReason: 'end_turn' } })

  test.each<[string, readonly JsonObject[], readonly string[]]>([
    ['before it is answered', [...loaded.slice(0, 1), user, answer, ...loaded.slice(1), end], []],
    ['behind its answer, up to its commands', [...loaded, user, answer, commands, end], []],
    ['with its commands first', [...loaded, commands, answer, end], ['x']],
    ['not at all', [...loaded, answer, end], ['x']],
    ['and an agent repeats the prompt', [...loaded, user, answer, end], ['x']],
    ['and an agent repeats the prompt and breaks off', [...loaded, user, answer], ['x']],
  ])('tells what is new where its history comes %s', (_, lines, texts) => {
    const deltas = converse(request, lines).events.filter((event) => event.kind === 'text-delta')
    expect(deltas.map(({ text }) => text)).toEqual(texts)
  })
})
