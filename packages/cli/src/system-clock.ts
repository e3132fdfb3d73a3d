import type { Clock } from '@sluice/protocol'

/** Longer delays overflow the timers of Node, which then fire at once. */
const maxDelayMs = 2 ** 31 - 1

/** The time of the machine. Its timers do not keep the process alive. */
export function createSystemClock(): Clock {
  return {
    now: () => Date.now(),
    after(ms, run) {
      let timer: NodeJS.Timeout
      const wait = (leftMs: number): void => {
        const step = Math.min(leftMs, maxDelayMs)
        timer = setTimeout(() => (leftMs > step ? wait(leftMs - step) : run()), step)
        timer.unref()
      }
      wait(Math.max(0, ms))
      return { clear: () => clearTimeout(timer) }
    },
  }
}
