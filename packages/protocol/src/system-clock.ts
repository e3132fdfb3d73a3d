import type { Clock } from './clock.ts'

/** The longest delay of setTimeout; a longer one would fire immediately. */
const maxDelayMs = 2 ** 31 - 1

// Every platform has these functions; this package loads no platform's types.
declare function setTimeout(run: () => void, ms: number): unknown
declare function clearTimeout(timer: unknown): void
declare const performance: { now(): number }

export interface SystemClockOptions {
  /** Whether its timers keep a Node process alive. */
  readonly keepsAlive?: boolean
}

/** The platform's clock, in Node and in browsers. */
export function createSystemClock({ keepsAlive = false }: SystemClockOptions = {}): Clock {
  return {
    now: () => Date.now(),
    monotonic: () => Math.floor(performance.now()),
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

/**
 * The platform's clock, with timers that keep a Node process alive: a script that waits for its next attempt
 * has nothing else open and would exit too early.
 */
export const systemClock: Clock = createSystemClock({ keepsAlive: true })

/** Timers are numbers in browsers. */
function unref(timer: unknown): void {
  const { unref: release } = Object(timer) as { unref?: () => void } // a timer of Node, or a number
  release?.call(timer)
}
