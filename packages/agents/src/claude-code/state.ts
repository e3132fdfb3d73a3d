import type { Verdict } from '../cli/cli-agent.ts'
import type { CheckedRequest } from '../request/checked-request.ts'
import type { Ask } from './map-ask.ts'
import type { Texts } from './map-text.ts'
import type { Calls } from './map-tool.ts'

/** What is known of a run of Claude Code. */
export interface ClaudeState {
  readonly request: CheckedRequest
  readonly askTimeoutMs: number
  /** Standard input is open: it asks, and takes messages. */
  readonly isOpen: boolean
  /** Begins the ids of messages, so that those of another run of the same session are others. */
  readonly seed: string
  readonly sent: number
  /** Ids of messages that were sent and not taken up yet. */
  readonly unread: readonly string[]
  readonly session: string | undefined
  readonly model: string | undefined
  readonly texts: Texts
  readonly calls: Calls
  readonly asks: readonly Ask[]
  /** Why the model did not answer, as the last message of the first agent says. */
  readonly error: string | undefined
  /** Whether something was said in this turn. */
  readonly hasSpoken: boolean
  /** Dollars that the session cost, as the last result says. */
  readonly totalCost: number | undefined
  /** It tells what state it is in. */
  readonly tellsState: boolean
  /** How the last turn ended, as long as no other began. */
  readonly held: Verdict | undefined
  /** Its word was given; what it still says of its end is nothing. */
  readonly isOver: boolean
}
