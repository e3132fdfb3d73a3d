import { once } from 'node:events'
import { createServer } from 'node:http'
import { performance } from 'node:perf_hooks'
import type { Clock } from '@sluice/protocol'

/** Time advances after this many consecutive checks, `lookMs` apart, find the process idle. */
const quietLooks = 6
const lookMs = 2
/** A check that runs later than this does not count: the machine is busy, so sockets may be late too. */
const lateMs = 10

/**
 * A clock for peers in this process. Time stops while sockets are read and written, and jumps to the next
 * timer once nothing else can happen before it: hours of waiting take only as long as the work in between.
 *
 * Loopback sockets deliver within a turn of the event loop. The thread pool (files, asynchronous cryptography) and
 * other processes are invisible until they answer: set no timer while you wait for them.
 */
export function createVirtualClock(startMs = Date.UTC(2026, 0, 1)): Clock {
  const timers = new Set<{ readonly atMs: number; readonly run: () => void }>()
  let nowMs = startMs
  let isWatching = false

  const jump = (): void => {
    const due = Math.min(...[...timers].map(({ atMs }) => atMs))
    if (due === Number.POSITIVE_INFINITY) return
    nowMs = Math.max(nowMs, due)
    // A timer that runs may clear another one.
    for (const timer of [...timers]) if (timer.atMs <= nowMs && timers.delete(timer)) timer.run()
  }
  const watch = async (): Promise<void> => {
    isWatching = true
    await fetchOnce()
    while (timers.size > 0) {
      await untilIdle()
      jump()
    }
    isWatching = false
  }
  return {
    now: () => nowMs,
    monotonic: () => nowMs,
    after(ms, run) {
      const timer = { atMs: nowMs + Math.max(0, ms), run }
      timers.add(timer)
      if (!isWatching) void watch()
      return { clear: () => void timers.delete(timer) }
    },
  }
}

/** The first fetch of a process compiles its parser on another thread, which no check sees. */
async function fetchOnce(): Promise<void> {
  const server = createServer((_, response) => void response.end()).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('unreachable')
  await fetch(`http://127.0.0.1:${address.port}`, { headers: { connection: 'close' } })
  server.close()
}

/** Between two checks the event loop polls every socket at least once. */
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

/** The number of events that the event loop has handled so far. */
function countEvents(): number {
  return performance.nodeTiming.uvMetricsInfo.events
}
