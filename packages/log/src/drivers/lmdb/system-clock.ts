import type { Clock } from '@sluice/protocol'

/** The clock of the system. Its timers do not keep the process alive. */
export const systemClock: Clock = {
  now: () => Date.now(),
  after(ms, run) {
    const timer = setTimeout(run, ms)
    timer.unref()
    return { clear: () => clearTimeout(timer) }
  },
}
