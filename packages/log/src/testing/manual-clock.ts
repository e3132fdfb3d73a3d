import type { Clock } from '@sluice/protocol'

/** A clock that moves only when advance() is called. */
export interface ManualClock extends Clock {
  advance(ms: number): void
}

export function createManualClock(): ManualClock {
  let now = 1_000_000
  let waiting: { readonly at: number; readonly run: () => void }[] = []
  return {
    now: () => now,
    after(ms, run) {
      const timer = { at: now + ms, run }
      waiting.push(timer)
      return {
        clear() {
          waiting = waiting.filter((other) => other !== timer)
        },
      }
    },
    advance(ms) {
      now += ms
      const due = waiting.filter(({ at }) => at <= now)
      waiting = waiting.filter(({ at }) => at > now)
      for (const { run } of due) run()
    },
  }
}
