import { createDrivenClock } from '@sluice/protocol/testing'
import { expect, test } from 'vitest'
import { createRingBudget } from './ring-budget.ts'
import { createSubscribers, type Enrolled } from './subscribers.ts'

const heartbeatMs = 15_000
const stalledMs = 3_600_000

function enrolled(more: { stalledSince?: number; lag?: number; isAllowed?: () => boolean } = {}) {
  const told = { beats: [] as number[], trims: [] as number[], resets: 0 }
  const stream: Enrolled = {
    transport: 'sse',
    isAllowed: more.isAllowed ?? (() => true),
    reset: () => {
      told.resets += 1
    },
    drain: () => {},
    reader: {
      stalledSince: more.stalledSince,
      lag: more.lag ?? 0,
      beat: (before) => told.beats.push(before),
      trim: (before) => told.trims.push(before),
    },
  }
  return { stream, told }
}

test('streams are looked after many times in a heartbeat, and asked for one if nothing was sent for as long', () => {
  const clock = createDrivenClock()
  const subscribers = createSubscribers({ clock, heartbeatMs, stalledMs })
  const { stream, told } = enrolled()
  const leave = subscribers.enrol(stream)
  clock.advance(heartbeatMs)
  expect(told.beats).toHaveLength(15)
  expect(told.beats.at(-1)).toBe(clock.monotonic() - heartbeatMs)
  leave()
  clock.advance(heartbeatMs)
  expect(told.beats).toHaveLength(15)
  subscribers.close()
  expect(clock.timers).toBe(0)
})

test('a connection that took nothing for too long is reset, and no earlier', () => {
  const clock = createDrivenClock()
  const subscribers = createSubscribers({ clock, heartbeatMs, stalledMs })
  const { stream, told } = enrolled({ stalledSince: clock.monotonic() })
  subscribers.enrol(stream)
  clock.advance(stalledMs - 1)
  expect(told.resets).toBe(0)
  clock.advance(1000)
  expect(told.resets).toBe(1)
})

test('a stream whose credential no longer holds is reset', () => {
  const clock = createDrivenClock()
  const subscribers = createSubscribers({ clock, heartbeatMs, stalledMs })
  const expiresAt = clock.monotonic() + 5000
  const { stream, told } = enrolled({ isAllowed: () => clock.monotonic() < expiresAt })
  subscribers.enrol(stream)
  clock.advance(4999)
  expect(told.resets).toBe(0)
  clock.advance(1)
  expect(told.resets).toBe(1)
})

test('it counts streams by transport, those that stall, and how far the last one is behind', () => {
  const clock = createDrivenClock()
  const subscribers = createSubscribers({ clock, heartbeatMs, stalledMs })
  subscribers.enrol(enrolled({ lag: 3 }).stream)
  subscribers.enrol(enrolled({ lag: 9, stalledSince: clock.monotonic() }).stream)
  expect([
    subscribers.count('sse'),
    subscribers.count('ws'),
    subscribers.stalled,
    subscribers.maxLag,
  ]).toEqual([2, 0, 1, 9])
})

test('a budget empties the rings that were used least recently', () => {
  const budget = createRingBudget(100)
  const emptied: string[] = []
  const held = new Map<string, number>()
  const open = (name: string) => {
    const share = budget.join(() => {
      emptied.push(name)
      budget.release(held.get(name) ?? 0)
      held.set(name, 0)
    })
    return {
      take: (bytes: number) => {
        held.set(name, (held.get(name) ?? 0) + bytes)
        share.take(bytes)
      },
    }
  }
  const [a, b, c] = [open('a'), open('b'), open('c')]
  a.take(40)
  b.take(40)
  a.take(10)
  c.take(40)
  expect(emptied).toEqual(['b'])
  expect(budget.usedBytes).toBe(90)
  c.take(80)
  expect(budget.usedBytes).toBeLessThanOrEqual(100)
})

test('who stays stalled is told to let go of what is kept', () => {
  const clock = createDrivenClock()
  const subscribers = createSubscribers({ clock, heartbeatMs, stalledMs })
  const { stream, told } = enrolled({ stalledSince: clock.monotonic() })
  subscribers.enrol(stream)
  clock.advance(1000)
  expect(told.trims).toEqual([clock.monotonic() - 1000])
  subscribers.close()
})
