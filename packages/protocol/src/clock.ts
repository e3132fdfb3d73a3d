/** A timer that was set; clearing it twice does no harm. */
export interface Timer {
  clear(): void
}

/** The one way in which time enters Sluice. Tests drive their own. */
export interface Clock {
  /** Milliseconds since 1970. */
  now(): number
  /** Calls `run` once after `ms`. Whether a pending timer keeps a process alive is the choice of the clock. */
  after(ms: number, run: () => void): Timer
}
