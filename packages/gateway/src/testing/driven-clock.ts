import type { Clock } from '@sluice/protocol'

/** A clock that moves only when the test advances it. */
export interface DrivenClock extends Clock {
  /** Lets `ms` pass and runs what is due, in order of time. */
  advance(ms: number): void
  /** How many timers are set. */
  readonly timers: number
  /** How many timers have been set so far, cleared ones included. */
  readonly timersSet: number
}

interface Due {
  readonly at: number
  readonly run: () => void
}

export function createDrivenClock(startAt = Date.UTC(2026, 0, 1)): DrivenClock {
  let now = startAt
  const timers = new Set<Due>()
  let timersSet = 0
  const next = (until: number): Due | undefined => {
    let first: Due | undefined
    for (const due of timers) if (due.at <= until && (first === undefined || due.at < first.at)) first = due
    return first
  }
  return {
    now: () => now,
    after(ms, run) {
      const due = { at: now + ms, run }
      timers.add(due)
      timersSet += 1
      return {
        clear: () => {
          timers.delete(due)
        },
      }
    },
    advance(ms) {
      const until = now + ms
      for (let due = next(until); due !== undefined; due = next(until)) {
        timers.delete(due)
        now = Math.max(now, due.at)
        due.run()
      }
      now = until
    },
    get timers() {
      return timers.size
    },
    get timersSet() {
      return timersSet
    },
  }
}
