import type { Verdict } from '../cli/cli-agent.ts'
import type { CheckedRequest } from '../request/checked-request.ts'
import type { Ask } from './map-ask.ts'
import type { Texts } from './map-text.ts'
import type { Calls } from './map-tool.ts'

/** The state of a run of Claude Code. */
export interface ClaudeState {
  readonly request: CheckedRequest
  readonly askTimeoutMs: number
  /** Standard input is open, so Claude Code can ask and accepts messages. */
  readonly isOpen: boolean
  /** Begins the ids of messages, so that they differ between the runs of one session. */
  readonly seed: string
  readonly sent: number
  /** The ids of messages that were sent but not yet read. */
  readonly unread: readonly string[]
  readonly session: string | undefined
  readonly model: string | undefined
  readonly texts: Texts
  readonly calls: Calls
  readonly asks: readonly Ask[]
  /** Why the model did not answer, according to the last message of the main agent. */
  readonly error: string | undefined
  /** Whether the main agent has written an answer in this turn. */
  readonly hasSpoken: boolean
  /** The cost of the session in dollars, according to the last result. */
  readonly totalCost: number | undefined
  /** Claude Code reports its state. */
  readonly tellsState: boolean
  /** How the last turn ended, as long as no other has started. */
  readonly held: Verdict | undefined
  /** The verdict has been given: later results of the run are ignored. */
  readonly isOver: boolean
}
