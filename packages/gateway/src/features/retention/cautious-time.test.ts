import { createDrivenClock } from '@sluice/protocol/testing'
import { expect, test } from 'vitest'
import { createCautiousTime } from './cautious-time.ts'

const day = 86_400_000
const delayMs = 3_600_000

test('a step forward counts after the delay, once, however often the clock was set meanwhile', () => {
  const clock = createDrivenClock()
  const now = createCautiousTime(clock, delayMs)
  const before = clock.now()
  clock.stepWall(day)
  expect(now()).toBe(before)
  clock.stepWall(day)
  clock.advance(delayMs - 1)
  expect(now()).toBe(before + delayMs - 1)
  clock.advance(1)
  expect(now()).toBe(before + day + delayMs)
  clock.advance(delayMs)
  now()
  clock.advance(delayMs)
  expect(now()).toBe(clock.now())
})

test('a step that is taken back never counts, and a step back counts immediately', () => {
  const clock = createDrivenClock()
  const now = createCautiousTime(clock, delayMs)
  clock.stepWall(day)
  now()
  clock.advance(delayMs - 1)
  clock.stepWall(-day)
  expect(now()).toBe(clock.now())
  clock.stepWall(-day)
  clock.advance(delayMs)
  expect(now()).toBe(clock.now())
})
