/** How long a run waits for what. */
export interface CliTimings {
  /** Without a line for so long, and without a question that waits, it has failed. */
  readonly idleMs: number
  /** Without a line for so long, an agent that may be done is done. */
  readonly settleMs: number
  /** So long may it live on after it said that it is done. */
  readonly lingerMs: number
  /** So long is its output read after it is gone: something that it started may hold the pipe. */
  readonly drainMs: number
}

export const usualTimings: CliTimings = {
  idleMs: 600_000,
  settleMs: 120_000,
  lingerMs: 5000,
  drainMs: 2000,
}
