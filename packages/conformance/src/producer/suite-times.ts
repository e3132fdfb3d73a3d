/** How long the suite waits. */
export interface SuiteTimes {
  /** One run, from its trigger to the end of its sessions. */
  readonly runMs: number
  /** The answer to a message. */
  readonly answerMs: number
  /** A pause in which a wrong event may still arrive. */
  readonly settleMs: number
  /** The allowance for network and scheduler delays when times are compared. */
  readonly toleranceMs: number
  /** The longest question timeout that the suite waits out. */
  readonly maxTimeoutMs: number
}

export const defaultTimes: SuiteTimes = {
  runMs: 60_000,
  answerMs: 10_000,
  settleMs: 500,
  toleranceMs: 2_000,
  maxTimeoutMs: 30_000,
}
