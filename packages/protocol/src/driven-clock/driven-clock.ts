import type { Clock } from '../clock.ts'

/** A clock that only a test moves. */
export interface DrivenClock extends Clock {
  /** Lets `ms` pass and runs the timers that are due, in order of time. */
  advance(ms: number): void
  /** Lets time pass up to the next timer and runs it; false if none is set. */
  runNext(): boolean
  /** Lets `ms` pass without running timers, as when a machine is too busy. */
  sleep(ms: number): void
  /** Sets the time of day forward, or back by a negative `ms`, while no time passes. */
  stepWall(ms: number): void
  /** Resolves with the span of the next timer that is set. */
  nextTimer(): Promise<number>
  /** How many timers are set. */
  readonly timers: number
}

interface Due {
  readonly at: number
  readonly run: () => void
}

/** Unlike any time of day, so that a test notices when the two are mixed up. */
const monotonicStart = 1_000

export function createDrivenClock(startAt = Date.UTC(2026, 0, 1)): DrivenClock {
  let monotonic = monotonicStart
  let offset = startAt - monotonicStart
  const timers = new Set<Due>()
  let listeners: ((ms: number) => void)[] = []

  const runDue = (until: number): boolean => {
    let first: Due | undefined
    for (const due of timers) if (due.at <= until && (first === undefined || due.at < first.at)) first = due
    if (first === undefined) return false
    timers.delete(first)
    monotonic = Math.max(monotonic, first.at)
    first.run()
    return true
  }

  return {
    now: () => monotonic + offset,
    monotonic: () => monotonic,
    after(ms, run) {
      const timer = { at: monotonic + ms, run }
      timers.add(timer)
      const told = listeners
      listeners = []
      for (const listen of told) listen(ms)
      return { clear: () => void timers.delete(timer) }
    },
    advance(ms) {
      const until = monotonic + ms
      while (runDue(until));
      monotonic = until
    },
    runNext: () => runDue(Number.POSITIVE_INFINITY),
    sleep(ms) {
      monotonic += ms
    },
    stepWall(ms) {
      offset += ms
    },
    nextTimer: () => new Promise((resolve) => listeners.push(resolve)),
    get timers() {
      return timers.size
    },
  }
}
