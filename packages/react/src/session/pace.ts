import type { Clock, Timer } from '@sluice/protocol'

/** Calls `run` soon after mark(), at most once per `ms`: immediately after a rest, then in batches. */
export interface Pace {
  mark(): void
  /** Runs now if something is marked. */
  flush(): void
  stop(): void
}

export function createPace(clock: Clock, ms: number, run: () => void): Pace {
  let timer: Timer | undefined
  let lastAt = Number.NEGATIVE_INFINITY

  function flush(): void {
    if (timer === undefined) return
    timer.clear()
    timer = undefined
    lastAt = clock.monotonic()
    run()
  }

  return {
    mark() {
      const restMs = Math.max(0, lastAt + ms - clock.monotonic())
      timer ??= clock.after(restMs, flush)
    },
    flush,
    stop() {
      timer?.clear()
      timer = undefined
    },
  }
}
