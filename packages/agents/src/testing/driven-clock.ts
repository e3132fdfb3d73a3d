import type { Clock } from '@sluice/protocol'

export interface DrivenClock extends Clock {
  /** Moves time forward and runs the timers that are due, in order. */
  advance(ms: number): void
  /** Moves time forward to the next timer and runs it; false if none is set. */
  step(): boolean
  /** How many timers are set. */
  pending(): number
}

/** A clock that only a test moves. */
export function createDrivenClock(startMs = 1_000_000): DrivenClock {
  let now = startMs
  const timers = new Set<{ readonly at: number; readonly run: () => void }>()

  const runDue = (until: number): boolean => {
    const [due] = [...timers].filter(({ at }) => at <= until).sort((a, b) => a.at - b.at)
    if (due === undefined) return false
    timers.delete(due)
    now = Math.max(now, due.at)
    due.run()
    return true
  }

  return {
    now: () => now,
    after(ms, run) {
      const timer = { at: now + ms, run }
      timers.add(timer)
      return { clear: () => timers.delete(timer) }
    },
    advance(ms) {
      const until = now + ms
      while (runDue(until));
      now = until
    },
    step: () => runDue(Number.POSITIVE_INFINITY),
    pending: () => timers.size,
  }
}
