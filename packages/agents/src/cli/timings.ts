/** How long a run waits. */
export interface CliTimings {
  /** A run without output for this time has failed, unless a question waits for its answer. */
  readonly idleMs: number
  /** An agent that may be done is done after this time without output. */
  readonly settleMs: number
  /** How long an agent may stay after it has reported that it is done, or has closed its output. */
  readonly lingerMs: number
  /** How long to wait in total for the rest of an exited agent's output: another process may hold the pipe. */
  readonly drainMs: number
}

export const usualTimings: CliTimings = {
  idleMs: 600_000,
  settleMs: 120_000,
  lingerMs: 5000,
  drainMs: 2000,
}
