import { createDrivenClock } from '@sluice/protocol/testing'
import { describe, expect, test } from 'vitest'
import type { Wake } from './page.ts'
import { createWatchdog } from './watchdog.ts'

function start() {
  const clock = createDrivenClock()
  const listeners = new Set<(wake: Wake) => void>()
  const page = {
    isOnline: () => true,
    onWake(listener: (wake: Wake) => void) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
  let deaths = 0
  const watchdog = createWatchdog({
    clock,
    page,
    heartbeatMs: 10_000,
    onDead() {
      deaths += 1
    },
  })
  const wake = (kind: Wake) => {
    for (const listener of listeners) listener(kind)
  }
  return { clock, watchdog, wake, deaths: () => deaths, listeners }
}

describe('createWatchdog()', () => {
  test('calls a peer dead after 2.5 heartbeats of silence, once', () => {
    const { clock, watchdog, deaths, listeners } = start()
    watchdog.listen()
    clock.advance(24_999)
    expect(deaths()).toBe(0)
    clock.advance(1)
    expect(deaths()).toBe(1)
    clock.advance(100_000)
    expect(deaths()).toBe(1)
    expect(listeners.size).toBe(0)
  })

  test('counts from the last sign of life', () => {
    const { clock, watchdog, deaths } = start()
    watchdog.listen()
    for (let i = 0; i < 10; i++) {
      clock.advance(20_000)
      watchdog.rest()
      watchdog.listen()
    }
    expect(deaths()).toBe(0)
    clock.advance(25_000)
    expect(deaths()).toBe(1)
  })

  test('does not count while nobody reads', () => {
    const { clock, watchdog, deaths } = start()
    watchdog.listen()
    watchdog.rest()
    clock.advance(1_000_000)
    expect(deaths()).toBe(0)
    watchdog.listen()
    clock.advance(25_000)
    expect(deaths()).toBe(1)
  })

  test.each<[Wake, number, number]>([
    ['visible', 9_000, 0],
    ['visible', 11_000, 1],
    ['restored', 0, 1],
    ['online', 0, 1],
  ])('when the page is %s after %d ms of sleep, finds %d dead', (wake, sleepMs, expected) => {
    const page = start()
    page.watchdog.listen()
    page.clock.sleep(sleepMs)
    page.wake(wake)
    expect(page.deaths()).toBe(expected)
  })

  test('does not judge on wake while nobody reads, nor after it was stopped', () => {
    const page = start()
    page.wake('online')
    page.watchdog.listen()
    page.watchdog.stop()
    page.wake('online')
    page.clock.advance(100_000)
    expect(page.deaths()).toBe(0)
    expect(page.clock.timers).toBe(0)
  })
})
