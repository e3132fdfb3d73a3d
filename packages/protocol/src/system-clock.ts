import type { Clock } from './clock.ts'

/** The longest delay that setTimeout takes; a longer one would fire at once. */
const maxDelayMs = 2 ** 31 - 1

// Every platform has them; this package loads the types of none.
declare function setTimeout(run: () => void, ms: number): unknown
declare function clearTimeout(timer: unknown): void

export interface SystemClockOptions {
  /** Whether its timers keep a Node process alive. */
  readonly keepsAlive?: boolean
}

/** The time of the platform, in Node and in browsers. */
export function createSystemClock({ keepsAlive = false }: SystemClockOptions = {}): Clock {
  return {
    now: () => Date.now(),
    after(ms, run) {
      let timer: unknown
      const wait = (leftMs: number): void => {
        const step = Math.min(leftMs, maxDelayMs)
        timer = setTimeout(() => (leftMs > step ? wait(leftMs - step) : run()), step)
        if (!keepsAlive) unref(timer)
      }
      wait(Math.max(0, ms))
      return { clear: () => clearTimeout(timer) }
    },
  }
}

/** Browsers have numbers for timers. */
function unref(timer: unknown): void {
  const { unref: release } = Object(timer) as { unref?: () => void } // a timer of Node, or a number
  release?.call(timer)
}
