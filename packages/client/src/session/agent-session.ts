import { type Clock, omitUndefined, type SessionEnd } from '@sluice/protocol'
import type { PublishedFrame } from '../frames.ts'
import type { Iteration } from '../iterate.ts'
import type { Publisher } from '../publisher.ts'
import type { Input } from '../resources.ts'
import type { Abortable } from '../sessions.ts'
import type { SubscriptionItem } from '../subscription.ts'
import { readClarification, readConfirmation } from './answers.ts'
import { pickInputs, type SessionInput } from './pick-inputs.ts'
import { randomId } from './random-id.ts'
import {
  metaOf,
  toClarification,
  toConfirmation,
  toHandoff,
  toProgress,
  toSessionError,
  toStateChange,
} from './session-events.ts'
import { createSessionLine } from './session-line.ts'
import type {
  AskOptions,
  Clarification,
  Confirmation,
  ConfirmOptions,
  CreateAgentSession,
  FailReason,
  HandoffOptions,
  ProgressOptions,
  RunToolOptions,
  TextOptions,
  Told,
  ToolOptions,
} from './session-options.ts'
import { mainOutput, textDeltas, textEnd } from './text-events.ts'
import { createTools, type ToolHandle } from './tools.ts'

/**
 * An agent's side of a session. A call that would break the session's order throws immediately, before
 * anything is sent. The promise of a call resolves when it is durable and need not be awaited: `flush`,
 * `complete`, `fail` and `cancel` report what failed.
 */
export interface AgentSession {
  readonly id: string
  /** Aborted when somebody asks the agent to stop, or when somebody else ends the session. */
  readonly signal: AbortSignal
  state(to: string, options?: Told): Promise<void>
  progress(options: ProgressOptions): Promise<void>
  /** Starts a tool call; the handle reports its result. */
  tool(name: string, options?: ToolOptions): ToolHandle
  /**
   * The same around a function: reports success, the message of an error that it throws, and a `TimeoutError`
   * as a timeout.
   */
  tool<T>(name: string, options: RunToolOptions<T>, run: () => T | Promise<T>): Promise<T>
  /** A piece of text, cut anywhere. */
  text(chunk: string, options?: TextOptions): Promise<void>
  endText(options?: Pick<TextOptions, 'output'>): Promise<void>
  /** Asks whether something may be done, and waits for the decision. */
  confirm(options: ConfirmOptions): Promise<Confirmation>
  /** Asks for something that the agent needs to know, and waits for it. */
  ask(options: AskOptions): Promise<Clarification>
  handoff(options: HandoffOptions): Promise<void>
  /** Ends the session and its open texts. Resolves when everything is durable. */
  complete(summary?: Told['summary']): Promise<void>
  /** Ends it as failed, and closes everything open. */
  fail(error: FailReason, options?: Told): Promise<void>
  /** Ends it as cancelled, and closes everything open. */
  cancel(reason?: Told['summary']): Promise<void>
  /** What people send to the agent besides answers, from the beginning of the session. */
  inputs(options?: Abortable): Iteration<SessionInput>
  /** Resolves when there is room for more. */
  ready(): Promise<void>
  /** Resolves when everything so far is durable; rejects with the first failure since the last `flush`. */
  flush(): Promise<void>
}

export interface AgentSessionParts {
  readonly id: string
  readonly options: CreateAgentSession
  readonly clock: Clock
  readonly publisher: Publisher<PublishedFrame>
  follow(options: Abortable): Iteration<SubscriptionItem<Input>>
}

export function createAgentSession(parts: AgentSessionParts): AgentSession {
  const { id, options, clock, publisher, follow } = parts
  const { language, signal } = options
  const startedAt = clock.monotonic()
  const inputs = follow(omitUndefined({ signal }))
  const line = createSessionLine({ id, publisher, inputs, signal })
  const { emit, state, question } = line
  const tools = createTools({ clock, language, state, emit })
  const told = (summary: Told['summary']) => metaOf(language, summary)
  const newToken = () => randomId('rpl_', 32)

  function tool(name: string, given?: ToolOptions): ToolHandle
  function tool<T>(name: string, given: RunToolOptions<T>, run: () => T | Promise<T>): Promise<T>
  function tool<T>(name: string, given: RunToolOptions<T> = {}, run?: () => T | Promise<T>) {
    return run === undefined ? tools.open(name, given) : tools.run(name, given, run)
  }

  function end(event: Omit<SessionEnd, 'kind'>, summary: Told['summary']): Promise<void> {
    return line.end({ kind: 'session-end', ...event, ...told(summary) })
  }

  emit([toStart(options)])
  return {
    id,
    signal: line.signal,
    state: (to, { summary } = {}) => emit([{ ...toStateChange(to), ...told(summary) }]),
    progress: (given) => emit([{ ...toProgress(given), ...told(given.summary) }]),
    tool,
    text(chunk, given = {}) {
      const deltas = textDeltas(state(), chunk, { ...given, sessionLanguage: language })
      return Promise.all(deltas.map((delta) => emit([delta]))).then(() => {})
    },
    endText: ({ output = mainOutput } = {}) => emit(textEnd(state(), output, language)),
    confirm(given) {
      const opened = { ...toConfirmation(newToken(), given), ...told(given.summary) }
      return question(opened, given.signal).then(readConfirmation)
    },
    ask(given) {
      const opened = { ...toClarification(newToken(), given), ...told(given.summary) }
      return question(opened, given.signal).then((close) => readClarification(close, given))
    },
    handoff: (given) => emit([{ ...toHandoff(given), ...told(given.summary) }]),
    complete: (summary) => end({ outcome: 'completed', durationMs: clock.monotonic() - startedAt }, summary),
    fail(reason, { summary } = {}) {
      const error = toSessionError(reason)
      // The text of an exception is for developers, the agent's own text is for people.
      return end(
        { outcome: 'failed', error },
        summary ?? (reason instanceof Error ? undefined : error.message),
      )
    },
    cancel: (reason) => end({ outcome: 'cancelled', by: line.isCancelled() ? 'user' : 'producer' }, reason),
    inputs: (given = {}) => pickInputs(follow(given)),
    ready: publisher.ready,
    flush: publisher.flush,
  }
}

function toStart({ agent, request, tools, language }: CreateAgentSession) {
  return {
    kind: 'session-start',
    ...omitUndefined({ request, tools }),
    meta: { ...metaOf(language, undefined).meta, agent: typeof agent === 'string' ? { id: agent } : agent },
  } as const
}
