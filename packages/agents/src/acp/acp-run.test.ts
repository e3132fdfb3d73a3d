import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import {
  type JsonObject,
  omitUndefined,
  type Run,
  type RunOutput,
  type SessionState,
  tableValues,
} from '@sluice/protocol'
import { afterEach, expect, test } from 'vitest'
import { modelKey, resumeKey } from '../request/extension-keys.ts'
import { judgeRun } from '../testing/judge-run.ts'
import { type PlayedRun, playRun } from '../testing/play-run.ts'
import { createAcpAgent } from './index.ts'

const fake = fileURLToPath(new URL('./testing/fake-acp-agent.mjs', import.meta.url))
const folders: string[] = []
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true })
})

interface Note {
  readonly method: string
  readonly params: JsonObject
}

interface Staged {
  readonly extensions?: JsonObject
  readonly permissions?: 'ask' | 'allow' | 'deny'
  readonly timings?: { readonly idleMs?: number; readonly lingerMs?: number }
  readonly graceMs?: number
  readonly during?: (output: RunOutput, run: Run) => void
}

/** Plays a scenario of the fake agent, and judges the run. */
async function play(
  scenario: string,
  staged: Staged = {},
): Promise<PlayedRun & { readonly state: SessionState; readonly notes: readonly Note[] }> {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-acp-'))
  folders.push(folder)
  const file = join(folder, 'notes')
  const agent = createAcpAgent({
    kind: 'acp',
    command: [process.execPath, fake, scenario, file],
    defaults: { cwd: folder, env: { PATH: process.env['PATH'] ?? '', SECRET: 'SENTINEL-ENV' } },
    permissions: staged.permissions ?? 'ask',
    askTimeoutMs: 300_000,
    timings: { idleMs: 60_000, lingerMs: 30_000, drainMs: 300, ...staged.timings },
    ...(staged.graceMs === undefined ? {} : { escalation: [{ signal: 'SIGTERM', graceMs: staged.graceMs }] }),
  })
  const request = {
    prompt: 'say hello SENTINEL-PROMPT',
    ...(staged.extensions === undefined ? {} : { extensions: staged.extensions }),
  }
  const run = await playRun(agent, request, staged.during)
  const state = await judgeRun(run)
  const notes = readFileSync(file, { encoding: 'utf8', flag: 'a+' }).split('\n').filter(Boolean)
  return { ...run, state, notes: notes.map((line): Note => JSON.parse(line)) }
}

/** Answers every question in the same way. */
function decide(decision: string | undefined): (output: RunOutput, run: Run) => void {
  return (output, run) => {
    if (output.type !== 'events') return
    for (const event of output.events)
      if (event.kind === 'question-open')
        run.answer({
          token: event.token,
          ...(decision === undefined ? { how: 'timeout' } : { how: 'answered', decision }),
        })
  }
}

const textsOf = (state: SessionState): readonly (readonly [string, string])[] =>
  tableValues(state.outputs).map(({ channel, text }) => [channel, text] as const)

test('a turn is told with its thoughts, its text, what it took, and the session it is in', async () => {
  const { state, events, completion, notes } = await play('normal')
  expect(textsOf(state)).toEqual([
    ['reasoning', 'Let me see.'],
    ['answer', 'Hello, wörld'],
  ])
  expect(events[0]).toMatchObject({
    code: 'agent_session',
    meta: { agent: { session: 'fake-1', name: 'fake', version: '1.2.3', model: 'small' } },
  })
  expect(events).toContainEqual({
    kind: 'usage',
    inputTokens: 4,
    outputTokens: 5,
    reasoningTokens: 2,
    cost: { amount: 0.5, currency: 'USD' },
    model: 'small',
  })
  expect(completion).toEqual({
    status: { code: 0, signal: null },
    finalText: 'Hello, wörld',
    handle: 'fake-1',
  })
  expect(notes.map(({ method }) => method)).toEqual(['session/new', 'session/prompt'])
  expect(notes[1]?.params['prompt']).toEqual([{ type: 'text', text: 'say hello SENTINEL-PROMPT' }])
})

test('a plan is a snapshot of state', async () => {
  const { events } = await play('plan')
  expect(events).toContainEqual({
    kind: 'state-data',
    snapshot: {
      plan: [
        { text: 'Look', status: 'completed' },
        { text: 'Do', status: 'in_progress' },
      ],
    },
  })
})

test('tools that run at once are told with what they took and gave, each once', async () => {
  const { events, state } = await play('tools')
  const tools = events.filter(({ kind }) => kind === 'tool-call' || kind === 'tool-result')
  expect(tools).toEqual([
    { kind: 'tool-call', call: 't1', tool: 'grep', args: { pattern: 'SENTINEL-ARGS' } },
    { kind: 'tool-call', call: 't2', tool: 'execute', args: { command: 'cat SENTINEL-ARGS' } },
    {
      kind: 'tool-result',
      call: 't2',
      tool: 'execute',
      status: 'error',
      result: { output: 'SENTINEL-OUTPUT', exitCode: 2 },
      exitCode: 2,
    },
    { kind: 'tool-result', call: 't1', tool: 'grep', status: 'success', result: 'SENTINEL-OUTPUT\nmore' },
  ])
  expect(textsOf(state)).toEqual([
    ['answer', 'I look.'],
    ['answer', 'Found.'],
  ])
})

test.each([
  ['accept', 'a', 'success'],
  ['accept_always', 'b', 'success'],
  ['reject', 'c', 'error'],
  ['something else', 'c', 'error'],
  [undefined, 'c', 'error'],
] as const)('a tool that is asked about gets the answer %s', async (decision, option, status) => {
  const during = decide(decision)
  const staged = omitUndefined({ during })
  const { events, state, completion, notes } = await play('permission', staged)
  expect(events).toContainEqual({
    kind: 'question-open',
    question: 'confirmation',
    token: 'permission-1',
    text: 'Fake Agent asks to delete something.',
    default: 'reject',
    allowed: ['accept', 'accept_always', 'reject'],
    timeoutMs: 300_000,
    risk: 'high',
    meta: { parent: 't1' },
  })
  expect(notes.at(-1)?.params).toEqual({ outcome: 'selected', optionId: option })
  expect(tableValues(state.calls)).toMatchObject([{ call: 't1', status }])
  expect(completion).toMatchObject({ finalText: option })
})

test.each([
  ['allow', 'a'],
  ['deny', 'c'],
] as const)('nobody is asked where the configuration says %s', async (permissions, option) => {
  const { state, notes } = await play('permission', { permissions })
  expect(notes.at(-1)?.params).toEqual({ outcome: 'selected', optionId: option })
  expect(tableValues(state.questions)).toEqual([])
})

test('a question that the agent takes back is closed', async () => {
  const { events, state } = await play('withdrawn')
  expect(events).toContainEqual({ kind: 'question-close', token: 'permission-1', how: 'cancelled' })
  expect(textsOf(state)).toEqual([['answer', 'Never mind.']])
})

test('a cancelled run is asked to stop, and goes by itself', async () => {
  const { completion, notes } = await play('cancel', { during: (_, run) => run.cancel() })
  expect(completion).toMatchObject({ code: 'run_cancelled' })
  expect(notes.at(-1)).toEqual({ method: 'session/cancel', params: { sessionId: 'fake-1' } })
})

test('a cancelled run whose question waits tells the agent that nobody answers', async () => {
  const { notes } = await play('permission', {
    during(output, run) {
      if (output.type === 'events' && output.events.some(({ kind }) => kind === 'question-open')) run.cancel()
    },
  })
  expect(notes.slice(-2)).toEqual(
    expect.arrayContaining([
      { method: 'outcome', params: { outcome: 'cancelled' } },
      { method: 'session/cancel', params: { sessionId: 'fake-1' } },
    ]),
  )
})

test('an agent that hears nothing any more is ended by force', async () => {
  const { completion, state } = await play('stubborn', { timings: { idleMs: 3000 }, graceMs: 200 })
  expect(textsOf(state)).toEqual([['answer', 'Working']])
  expect(completion).toMatchObject({ code: 'run_failed', message: 'acp backend error: idle timeout' })
})

test('an agent that stays after its turn is ended, and has done its work', async () => {
  const { completion } = await play('stays', { timings: { lingerMs: 200 } })
  expect(completion).toMatchObject({ finalText: 'Hello', handle: 'fake-1' })
})

test('lines that are no messages are told by their length, and the turn goes on', async () => {
  const { events, state } = await play('garbage')
  const lines = events.filter((event) => event.kind === 'notice' && event.code === 'malformed_line')
  expect(lines.map((event) => 'text' in event && event.text)).toEqual([
    'malformed output line (line_bytes=18)',
    'malformed output line (line_bytes=42)',
  ])
  expect(textsOf(state)).toEqual([['answer', 'Hello']])
})

test('files and terminals are not offered', async () => {
  expect(textsOf((await play('files')).state)).toEqual([['answer', 'refused: -32601']])
})

test.each([
  ['exit', 'acp exited: code=3 (output redacted)'],
  ['fails', 'acp backend error: prompt failed (code=429)'],
  ['refusal', 'acp failed: refused'],
  ['max_tokens', 'acp failed: max tokens'],
  ['max_turn_requests', 'acp failed: max turns'],
  ['other-version', 'acp backend error: protocol version not supported'],
  ['locked', 'acp backend error: authentication required'],
])('a turn that ends with %s has failed', async (scenario, message) => {
  expect((await play(scenario)).completion).toMatchObject({ code: 'run_failed', message })
})

test('an agent that wants a login with no choice gets it', async () => {
  const { completion, notes } = await play('login')
  expect(completion).toMatchObject({ handle: 'fake-1' })
  expect(notes.map(({ method }) => method)).toEqual([
    'session/new',
    'authenticate',
    'session/new',
    'session/prompt',
  ])
})

test.each([
  ['resume', { selector: 'id', id: 'fake-7' }, 'session/resume', 'fake-7'],
  ['resume', { selector: 'last' }, 'session/resume', 'fake-2'],
  ['load', { selector: 'id', id: 'fake-7' }, 'session/load', 'fake-7'],
] as const)(
  'by %s an earlier session is taken up (%o), without its history',
  async (scenario, selector, method, id) => {
    const { completion, notes, events, state } = await play(scenario, {
      extensions: { [resumeKey]: selector },
    })
    expect(completion).toMatchObject({ handle: id })
    expect(notes.map((note) => note.method)).toEqual([method, 'session/prompt'])
    expect(JSON.stringify(events)).not.toContain('SENTINEL-HISTORY')
    expect(tableValues(state.calls)).toEqual([])
    // The cost of the session includes earlier runs.
    expect(events.find(({ kind }) => kind === 'usage')).not.toHaveProperty('cost')
  },
)

test.each([
  ['resume', { selector: 'id', id: 'gone' }, 'session not found'],
  ['load', { selector: 'last' }, 'acp backend error: sessions cannot be listed'],
  ['normal', { selector: 'id', id: 'fake-1' }, 'acp backend error: sessions cannot be resumed'],
])('by %s a session that cannot be taken up (%o) is a failure', async (scenario, selector, message) => {
  const { completion, notes } = await play(scenario, { extensions: { [resumeKey]: selector } })
  expect(completion).toMatchObject({ code: 'run_failed', message })
  expect(notes.map(({ method }) => method)).not.toContain('session/prompt')
})

test('a model that is asked for is chosen before the prompt', async () => {
  const { events, notes } = await play('normal', { extensions: { [modelKey]: 'large' } })
  expect(notes[1]?.params).toEqual({ sessionId: 'fake-1', configId: 'the-model', value: 'large' })
  expect(events[0]).toMatchObject({ meta: { agent: { model: 'large' } } })
})

test('a model that the agent refuses is a failure', async () => {
  const { completion } = await play('normal', { extensions: { [modelKey]: 'huge' } })
  expect(completion).toMatchObject({
    message: 'acp backend error: model rejected by runtime (details redacted)',
  })
})
