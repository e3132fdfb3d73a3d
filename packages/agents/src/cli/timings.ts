/** How long a run waits. */
export interface CliTimings {
  /** A run without output for this time has failed, unless a question waits for its answer. */
  readonly idleMs: number
  /** An agent that may be done is done after this time without output. */
  readonly settleMs: number
  /** How long an agent may stay after it has reported that it is done. */
  readonly lingerMs: number
  /** How long the output of an exited agent may be silent: something that it started may hold the pipe. */
  readonly drainMs: number
}

export const usualTimings: CliTimings = {
  idleMs: 600_000,
  settleMs: 120_000,
  lingerMs: 5000,
  drainMs: 2000,
}
