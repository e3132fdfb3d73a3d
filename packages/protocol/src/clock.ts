/** A pending timer; clearing it twice does no harm. */
export interface Timer {
  clear(): void
}

/** The only way in which time enters Sluice. Tests use their own clocks. */
export interface Clock {
  /** Milliseconds since 1970. */
  now(): number
  /** Calls `run` once after `ms`. The clock decides whether a pending timer keeps a process alive. */
  after(ms: number, run: () => void): Timer
}
