import type { Clock } from '@sluice/protocol'

/** The time of the machine. */
export const realClock: Clock = {
  now: () => Date.now(),
  after(ms, run) {
    const timer = setTimeout(run, ms)
    return { clear: () => clearTimeout(timer) }
  },
}
