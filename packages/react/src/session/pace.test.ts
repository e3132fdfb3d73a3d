import type { Clock } from '@sluice/protocol'
import { createDrivenClock } from '@sluice/protocol/testing'
import { describe, expect, test } from 'vitest'
import { createPace } from './pace.ts'

function count(clock: Clock) {
  let runs = 0
  const pace = createPace(clock, 50, () => {
    runs += 1
  })
  return { pace, runs: () => runs }
}

describe('createPace()', () => {
  test('runs at once after a rest, and gathers what is marked meanwhile', () => {
    const clock = createDrivenClock()
    const { pace, runs } = count(clock)
    pace.mark()
    clock.advance(0)
    expect(runs()).toBe(1)
    for (let i = 0; i < 10; i++) {
      pace.mark()
      clock.advance(4)
    }
    expect(runs()).toBe(1)
    clock.advance(10)
    expect(runs()).toBe(2)
    clock.advance(1000)
    expect(runs()).toBe(2)
  })

  test('runs what is marked when it is told to, once', () => {
    const clock = createDrivenClock()
    const { pace, runs } = count(clock)
    pace.flush()
    expect(runs()).toBe(0)
    pace.mark()
    pace.flush()
    clock.advance(1000)
    expect(runs()).toBe(1)
  })

  test('runs nothing once it is stopped', () => {
    const clock = createDrivenClock()
    const { pace, runs } = count(clock)
    pace.mark()
    pace.stop()
    clock.advance(1000)
    expect(runs()).toBe(0)
  })
})
