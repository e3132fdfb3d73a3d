import type { Clock } from '@sluice/protocol'

export interface DrivenClock extends Clock {
  /** Moves time forward and runs the timers that are due, in order. */
  advance(ms: number): void
  /** Moves time forward without running timers, as on a machine that sleeps. */
  sleep(ms: number): void
  /** Resolves with the span of the next timer that is set. */
  nextTimer(): Promise<number>
  /** How many timers are set. */
  pending(): number
}

/** A clock that only a test moves. */
export function createDrivenClock(startMs = 1_000_000): DrivenClock {
  let now = startMs
  const timers = new Set<{ at: number; run: () => void }>()
  let listeners: ((ms: number) => void)[] = []
  return {
    now: () => now,
    after(ms, run) {
      const timer = { at: now + ms, run }
      timers.add(timer)
      for (const listen of listeners) listen(ms)
      listeners = []
      return { clear: () => timers.delete(timer) }
    },
    advance(ms) {
      const until = now + ms
      for (;;) {
        const due = [...timers].filter(({ at }) => at <= until).sort((a, b) => a.at - b.at)[0]
        if (due === undefined) break
        timers.delete(due)
        now = Math.max(now, due.at)
        due.run()
      }
      now = until
    },
    sleep(ms) {
      now += ms
    },
    nextTimer: () => new Promise((resolve) => listeners.push(resolve)),
    pending: () => timers.size,
  }
}
