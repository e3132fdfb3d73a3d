/** How long the suite waits for what. */
export interface SuiteTimes {
  /** One run, from its trigger to the end of its sessions. */
  readonly runMs: number
  /** The answer to a message. */
  readonly answerMs: number
  /** A quiet moment, in which something wrong may show. */
  readonly settleMs: number
  /** What is taken for the network and the scheduler when times are compared. */
  readonly toleranceMs: number
  /** The longest timeout of a question that is sat out. */
  readonly maxTimeoutMs: number
}

export const defaultTimes: SuiteTimes = {
  runMs: 60_000,
  answerMs: 10_000,
  settleMs: 500,
  toleranceMs: 2_000,
  maxTimeoutMs: 30_000,
}
