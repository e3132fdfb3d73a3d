import type { Clock } from '@sluice/protocol'

/** The longest span that setTimeout takes; a longer one would fire at once. */
const longestMs = 2 ** 31 - 1

/**
 * The time of the platform. Its timers keep a process alive, unlike a gateway's: a script that waits for its next
 * try has nothing else open and would end in the middle.
 */
export const systemClock: Clock = {
  now: () => Date.now(),
  after(ms, run) {
    const timer = setTimeout(run, Math.min(ms, longestMs))
    return { clear: () => clearTimeout(timer) }
  },
}
