import type { Clock } from '@sluice/protocol'

/**
 * The time of a session's entries, in ms since 1970: the time of day, except that it always goes on and never
 * decreases. After the time of day was set back, it continues from the last entry. Text that is joined
 * by time depends on both.
 */
export interface SessionTime {
  now(): number
  /** The session has an entry of this time, so it is at least that late. */
  reach(at: number): void
  /** The monotonic time of an entry. */
  toMonotonic(at: number): number
}

/** The time of day is this much ahead of the monotonic time, from a monotonic time on. */
interface Offset {
  readonly from: number
  readonly ms: number
}

/** Two clocks that count whole milliseconds seem to drift by this much. */
const jitterMs = 1
/** Entries from before this many steps of the clock seem older than they are. */
const maxOffsets = 8

export function createSessionTime(clock: Clock): SessionTime {
  let offsets: readonly [Offset, ...Offset[]] = [{ from: Number.NEGATIVE_INFINITY, ms: offsetOf(clock) }]

  /** Sets the time forward. */
  const raise = (ms: number): number => {
    const [latest] = offsets
    if (ms <= latest.ms) return latest.ms
    offsets = [{ from: clock.monotonic(), ms }, ...offsets.slice(0, maxOffsets - 1)]
    return ms
  }

  return {
    now() {
      const ms = offsetOf(clock)
      return clock.monotonic() + (ms > offsets[0].ms + jitterMs ? raise(ms) : offsets[0].ms)
    },
    reach: (at) => void raise(at - clock.monotonic()),
    toMonotonic(at) {
      const since = offsets.find(({ from, ms }) => at >= from + ms) ?? offsets.at(-1) ?? offsets[0]
      return at - since.ms
    },
  }
}

function offsetOf(clock: Clock): number {
  return clock.now() - clock.monotonic()
}
