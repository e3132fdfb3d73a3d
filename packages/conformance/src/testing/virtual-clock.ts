import { performance } from 'node:perf_hooks'
import type { Clock } from '@sluice/protocol'

/** How often in a row the process must be found idle before time moves on, and how far these looks are apart. */
const quietLooks = 6
const lookMs = 2
/** A look that comes later than this says nothing: the machine is busy, and sockets may be late as well. */
const lateMs = 10

/**
 * Time for peers that share this process. It stands still while sockets are read and written, and jumps to the next
 * timer as soon as nothing more can happen before it: hours of waiting take as long as the work between.
 *
 * Loopback sockets deliver within a turn of the event loop. The thread pool (files, asynchronous cryptography) and
 * other processes are invisible until they answer: whoever waits for them must not have a timer set.
 */
export function createVirtualClock(startMs = Date.UTC(2026, 0, 1)): Clock {
  const timers = new Set<{ readonly atMs: number; readonly run: () => void }>()
  let nowMs = startMs
  let isWatching = false

  const jump = (): void => {
    const due = Math.min(...[...timers].map(({ atMs }) => atMs))
    if (due === Number.POSITIVE_INFINITY) return
    nowMs = Math.max(nowMs, due)
    // One that runs may clear another.
    for (const timer of [...timers]) if (timer.atMs <= nowMs && timers.delete(timer)) timer.run()
  }
  const watch = async (): Promise<void> => {
    isWatching = true
    while (timers.size > 0) {
      await untilIdle()
      jump()
    }
    isWatching = false
  }
  return {
    now: () => nowMs,
    after(ms, run) {
      const timer = { atMs: nowMs + Math.max(0, ms), run }
      timers.add(timer)
      if (!isWatching) void watch()
      return { clear: () => void timers.delete(timer) }
    },
  }
}

/** Between two looks the event loop has polled every socket at least once. */
async function untilIdle(): Promise<void> {
  let seen = countEvents()
  let lookedAt = performance.now()
  for (let quiet = 0; quiet < quietLooks; ) {
    await new Promise((resolve) => setTimeout(resolve, lookMs))
    const count = countEvents()
    const now = performance.now()
    quiet = count === seen && now - lookedAt < lateMs ? quiet + 1 : 0
    seen = count
    lookedAt = now
  }
}

/** What the event loop of this process has handled so far. */
function countEvents(): number {
  return performance.nodeTiming.uvMetricsInfo.events
}
