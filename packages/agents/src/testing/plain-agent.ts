import { isJsonObject, type JsonObject, omitUndefined, type SluiceEvent } from '@sluice/protocol'
import type { CliAgent, Mapped, Verdict } from '../cli/cli-agent.ts'
import { modelKey } from '../request/extension-keys.ts'
import type { CliScript } from './cli-script.ts'

/** The state of a plain agent: the open message, and whether the agent is done. */
export interface PlainState {
  readonly open: string | undefined
  readonly isDone: boolean
}

/**
 * The simplest agent with every feature, for tests of the code that all agents share. Its lines are objects:
 * `{ say, id }` a piece of a message, `{ call, args }`, `{ result, of, ok }`, `{ retry }`, `{ ask, about }`,
 * `{ session }`, `{ done }`.
 */
export const plainAgent: CliAgent<PlainState> = {
  kind: 'plain',
  label: 'plain',
  title: 'Plain',
  binary: 'plain',
  install: 'npm install plain',
  versionArgs: ['--version'],
  capabilities: ['agent_api.run', modelKey],
  rules: { kind: 'plain', extensions: [modelKey] },
  escalation: [{ signal: 'SIGTERM', graceMs: 200 }],
  command: ({ prompt }, { permissions }) => ({
    args: ['--stream'],
    stdin: `${prompt}\n`,
    keepsStdin: permissions === 'ask',
  }),
  mapper: {
    format: 'json',
    initial: () => ({ open: undefined, isDone: false }),
    step: (state, line) => (isJsonObject(line) && !state.isDone ? step(state, line) : { state, events: [] }),
    answer: (state, { token, how, decision }) => ({
      state,
      events: [{ kind: 'question-close', token, how }],
      write: [JSON.stringify({ [decision === 'accept' ? 'allow' : 'refuse']: token })],
    }),
    end: (state) => ({ state: { ...state, open: undefined }, events: close(state) }),
  },
  classify: (stderr) => (stderr.includes('no such session') ? 'session not found' : undefined),
  exitMessage: ({ code, signal }) => `plain exited non-zero: code=${code} signal=${signal}`,
}

/** What its program prints. */
export const plainScript: CliScript = {
  init: [{ session: 'plain-1' }],
  handle: 'plain-1',
  text: (pieces, id) => pieces.map((say) => ({ say, id })),
  whole: (say, id) => [{ say, id }],
  tools: (tools) => [
    ...tools.map(({ id, input }) => ({ call: id, args: { input } })),
    ...tools.map(({ id, output, ok }) => ({ result: output, of: id, ok })),
  ],
  retryable: [{ retry: true }],
  success: [{ done: true }],
  failure: { lines: [{ done: false }], message: 'plain failed' },
  permission: {
    ask: (input) => [
      { call: 't1', args: { input } },
      { ask: 'q1', about: 't1' },
    ],
    allowed: '{"allow":"q1"}',
    refused: '{"refuse":"q1"}',
  },
}

function close({ open }: PlainState): readonly SluiceEvent[] {
  return open === undefined ? [] : [{ kind: 'text-end', output: open, take: 0 }]
}

function step(state: PlainState, line: JsonObject): Mapped<PlainState> {
  const { say, id, call, args, result, of, ok, retry, ask, about, session, done } = line
  if (typeof say === 'string' && typeof id === 'string')
    return {
      state: { ...state, open: id },
      events: [
        ...(state.open === id ? [] : close(state)),
        { kind: 'text-delta', output: id, take: 0, position: 0, channel: 'answer', text: say },
      ],
    }
  if (typeof call === 'string')
    return {
      state,
      events: [omitUndefined({ kind: 'tool-call', call, tool: 'plain', args })],
    }
  if (result !== undefined && typeof of === 'string')
    return {
      state,
      events: [
        { kind: 'tool-result', call: of, tool: 'plain', status: ok === true ? 'success' : 'error', result },
      ],
    }
  if (retry === true)
    return { state, events: [{ kind: 'notice', level: 'warning', code: 'api_retry', text: 'again' }] }
  if (typeof ask === 'string') return { state, events: [toQuestion(ask, String(about))] }
  if (typeof session === 'string')
    return {
      state,
      events: [
        { kind: 'notice', level: 'info', code: 'agent_session', text: 'begun', meta: { agent: { session } } },
      ],
    }
  if (typeof done === 'boolean') {
    const verdict: Verdict = done ? { ok: true, finalText: 'done' } : { ok: false, message: 'plain failed' }
    return { state: { open: undefined, isDone: true }, events: close(state), verdict }
  }
  return { state, events: [] }
}

function toQuestion(token: string, parent: string): SluiceEvent {
  return {
    kind: 'question-open',
    question: 'confirmation',
    token,
    text: 'May a tool run?',
    default: 'reject',
    timeoutMs: 300_000,
    meta: { parent },
  }
}
