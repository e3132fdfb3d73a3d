import type { Clock } from '@sluice/protocol'

/** The time of the machine. Its timers keep the process alive: a suite that waits is not done. */
export function createWakefulClock(): Clock {
  return {
    now: () => Date.now(),
    after(ms, run) {
      const timer = setTimeout(run, ms)
      return { clear: () => clearTimeout(timer) }
    },
  }
}

export function pause(clock: Clock, ms: number): Promise<void> {
  return new Promise((resolve) => clock.after(ms, resolve))
}
