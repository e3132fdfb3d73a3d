import { SluiceError } from '@sluice/protocol'
import { afterEach, expect, test } from 'vitest'
import { createCliAgent } from '../cli/create-cli-agent.ts'
import type { CliTimings } from '../cli/timings.ts'
import { print, type ScriptedTool } from '../testing/cli-script.ts'
import { createFakeProgram, type FakeProgram, type FakeStep } from '../testing/fake-program.ts'
import { answerOf, judgeRun } from '../testing/judge-run.ts'
import { playRun } from '../testing/play-run.ts'
import { testCliAgent } from '../testing/test-cli-agent.ts'
import { claudeCode } from './index.ts'

const session = '2f3d5565-e00e-474d-ac7a-a6e275e68480'
const inSession = { session_id: session, parent_tool_use_id: null }

const event = (native: unknown): unknown => ({ type: 'stream_event', event: native, ...inSession })
const assistant = (id: string, content: readonly unknown[]): unknown => ({
  type: 'assistant',
  message: { id, role: 'assistant', model: 'claude-opus-5-5', content },
  ...inSession,
})
const toolUse = (id: string, command: string): unknown => ({
  type: 'tool_use',
  id,
  name: 'Bash',
  input: { command },
})
const toolResult = ({ id, output, ok }: ScriptedTool): unknown => ({
  type: 'user',
  message: {
    role: 'user',
    content: [{ type: 'tool_result', tool_use_id: id, content: output, is_error: !ok }],
  },
  ...inSession,
})
const text = (pieces: readonly string[], id: string): readonly unknown[] => [
  event({ type: 'message_start', message: { id } }),
  event({ type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } }),
  ...pieces.map((piece) =>
    event({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: piece } }),
  ),
  assistant(id, [{ type: 'text', text: pieces.join('') }]),
  event({ type: 'content_block_stop', index: 0 }),
  event({ type: 'message_stop' }),
]
const init = { type: 'system', subtype: 'init', session_id: session, model: 'claude-opus-5-5' }
const result = (more: object = {}): unknown => ({
  type: 'result',
  subtype: 'success',
  is_error: false,
  result: 'Hello, wörld',
  usage: { input_tokens: 10, output_tokens: 7 },
  ...more,
})
const state = (now: string): unknown => ({ type: 'system', subtype: 'session_state_changed', state: now })
const ask = (id: string, command: string): unknown => ({
  type: 'control_request',
  request_id: id,
  request: { subtype: 'can_use_tool', tool_name: 'Bash', input: { command }, tool_use_id: 't1' },
})

testCliAgent({
  agent: claudeCode,
  script: {
    init: [init],
    handle: session,
    text,
    whole: (whole, id) => [assistant(id, [{ type: 'text', text: whole }])],
    tools: (tools) => [
      ...tools.map(({ id, input }) => assistant('calls', [toolUse(id, input)])),
      ...tools.toReversed().map(toolResult),
    ],
    retryable: [
      { type: 'system', subtype: 'api_retry', attempt: 1, max_retries: 10, error_status: 529 },
      { type: 'rate_limit_event', rate_limit_info: { status: 'allowed_warning' } },
    ],
    success: [result()],
    failure: {
      lines: [result({ subtype: 'error_max_turns', is_error: true, errors: ['SENTINEL-GARBAGE'] })],
      message: 'claude_code failed: max turns',
    },
    disguised: {
      lines: [result({ is_error: true, api_error_status: 403, result: 'SENTINEL-GARBAGE' })],
      message: 'claude_code failed: model API error (status=403)',
    },
    permission: {
      ask: (input) => [assistant('m0', [toolUse('t1', input)]), ask('r1', input)],
      allowed: '"behavior":"allow"',
      refused: '"behavior":"deny"',
    },
  },
})

const programs: FakeProgram[] = []
afterEach(() => {
  for (const program of programs.splice(0)) program.remove()
})

function start(
  steps: readonly FakeStep[],
  timings: Partial<CliTimings> = {},
): { program: FakeProgram; agent: ReturnType<typeof createCliAgent> } {
  const program = createFakeProgram('claude', steps)
  programs.push(program)
  const agent = createCliAgent(claudeCode, {
    program: program.path,
    defaults: { cwd: process.cwd(), env: { PATH: process.env['PATH'] ?? '' } },
    options: { permissions: 'ask', askTimeoutMs: 300_000 },
    timings: { idleMs: 20_000, lingerMs: 10_000, drainMs: 300, ...timings },
  })
  return { program, agent }
}

const taken: FakeStep = {
  printFrom: { type: 'user', message: '$LINE.message', uuid: '$LINE.uuid', isReplay: true, ...inSession },
}

test.each<[string, readonly FakeStep[], string]>([
  [
    'in the turn that is under way is part of that turn',
    [
      ...print([state('running'), init], text(['One. '], 'm1')),
      { awaitLine: 'And hurry.' },
      taken,
      ...print(text(['Two.'], 'm2'), [result(), state('idle')]),
      { awaitEnd: true },
    ],
    'One. Two.',
  ],
  [
    'when the turn is at its end is another turn',
    [
      ...print([state('running'), init], text(['One. '], 'm1')),
      { awaitLine: 'And hurry.' },
      ...print([result(), state('idle'), state('running')]),
      taken,
      ...print([init], text(['Two.'], 'm2'), [result(), state('idle')]),
      { awaitEnd: true },
    ],
    'One. Two.',
  ],
  [
    'when the turn is at its end is another turn also where states are not told',
    [
      ...print([init], text(['One. '], 'm1')),
      { awaitLine: 'And hurry.' },
      ...print([result()]),
      taken,
      ...print([init], text(['Two.'], 'm2'), [result()]),
      { awaitEnd: true },
    ],
    'One. Two.',
  ],
])('a message that comes %s', async (_, steps, answer) => {
  const { agent, program } = start(steps)
  let isSent = false
  const run = await playRun(agent, { prompt: 'go' }, (output, { message }) => {
    const isText = output.type === 'events' && output.events.some(({ kind }) => kind === 'text-delta')
    if (!isText || isSent) return
    isSent = true
    expect(message('And hurry.')).toBe(true)
  })
  expect(run.completion).toMatchObject({ status: { code: 0 }, handle: session })
  expect(answerOf(await judgeRun(run))).toBe(answer)
  expect(
    program
      .call()
      ?.stdin.split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line)),
  ).toMatchObject([
    { type: 'user', message: { role: 'user', content: 'go' } },
    {
      type: 'user',
      message: { role: 'user', content: 'And hurry.' },
      uuid: expect.stringMatching(/^[\da-f-]{36}$/),
    },
  ])
})

test('no message is taken once it is done', async () => {
  const { agent } = start(print([init], text(['One.'], 'm1'), [result()]))
  const done = await playRun(agent, { prompt: 'go' }, (output, { message }) => {
    const isUsage = output.type === 'events' && output.events.some(({ kind }) => kind === 'usage')
    if (isUsage) expect(message('more')).toBe(false)
  })
  expect(done.completion).toMatchObject({ status: { code: 0 } })
  expect(done.events.map(({ kind }) => kind)).toContain('usage')
})

test('a turn that something in the background causes is part of the run', async () => {
  const { agent } = start([
    ...print([state('running'), init], text(['One. '], 'm1'), [result()]),
    ...print([init], text(['Two.'], 'm2'), [result(), state('idle')]),
    { awaitEnd: true },
  ])
  const run = await playRun(agent, { prompt: 'go' })
  expect(run.completion).toMatchObject({ status: { code: 0 }, finalText: 'Two.' })
  expect(answerOf(await judgeRun(run))).toBe('One. Two.')
})

test.each<[string, readonly FakeStep[], string | undefined]>([
  ['hangs is done after a while', [{ hang: true }], undefined],
  ['exits is done', [], undefined],
  ['exits with an error has failed', [{ exit: 1 }], 'claude_code exited non-zero: code=1 (output redacted)'],
])(
  'one that has told a result and not that it is idle, and %s',
  async (_, last, message) => {
    const steps = [...print([state('running'), init], text(['One.'], 'm1'), [result()]), ...last]
    const { agent } = start(steps, { settleMs: 300, lingerMs: 300 })
    const run = await playRun(agent, { prompt: 'go' })
    await judgeRun(run)
    if (message === undefined) expect(run.completion).toMatchObject({ finalText: 'One.' })
    else expect(run.completion).toMatchObject({ code: 'run_failed', message })
  },
  40_000,
)

test('a request that is not known is refused, and one that is withdrawn is closed', async () => {
  const { agent } = start([
    ...print([init, { type: 'control_request', request_id: 'h1', request: { subtype: 'hook_callback' } }]),
    { awaitLine: '"subtype":"error","request_id":"h1"' },
    ...print([ask('r1', 'ls'), { type: 'control_cancel_request', request_id: 'r1' }]),
    ...print(text(['One.'], 'm1'), [result()]),
    { awaitEnd: true },
  ])
  const run = await playRun(agent, { prompt: 'go' })
  expect(run.completion).toMatchObject({ status: { code: 0 } })
  expect(run.events).toContainEqual({ kind: 'question-close', token: 'r1', how: 'cancelled' })
})

test('the last session of a directory without one is not found', async () => {
  const { agent, program } = start(print([init]))
  const request = {
    prompt: 'go',
    workingDir: program.folder,
    env: { HOME: program.folder },
    extensions: { 'agent_api.session.resume.v1': { selector: 'last' } },
  }
  const { completion, events } = await playRun(agent, request)
  expect(completion).toBeInstanceOf(SluiceError)
  expect(completion).toMatchObject({ code: 'run_failed', message: 'no session found' })
  expect(events).toHaveLength(1)
  expect(program.call()).toBeUndefined()
})
