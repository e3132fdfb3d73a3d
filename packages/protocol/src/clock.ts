/** A pending timer; clearing it twice does no harm. */
export interface Timer {
  clear(): void
}

/** The only way in which time enters Sluice. Tests use their own clocks. */
export interface Clock {
  /**
   * Milliseconds since 1970, for people and logs. May be set back or forward at any time: no difference of two
   * of them is a duration.
   */
  now(): number
  /** Whole milliseconds since an unknown moment, for durations and deadlines. Never set back or forward. */
  monotonic(): number
  /**
   * Calls `run` once after `ms` of monotonic time. The clock decides whether a pending timer keeps a process
   * alive.
   */
  after(ms: number, run: () => void): Timer
}
