import { createDrivenClock } from '@sluice/protocol/testing'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { runs } from '../../testing/runs.ts'
import { createSessionTime } from './session-time.ts'

const day = 86_400_000

test('is the time of day while nobody sets the clock', () => {
  const clock = createDrivenClock()
  const time = createSessionTime(clock)
  clock.advance(1234)
  expect(time.now()).toBe(clock.now())
})

test('goes on from where it was when the clock is set back, and follows a clock that is set forward', () => {
  const clock = createDrivenClock()
  const time = createSessionTime(clock)
  const before = time.now()
  clock.stepWall(-day)
  clock.advance(40)
  expect(time.now()).toBe(before + 40)
  clock.stepWall(2 * day)
  expect(time.now()).toBe(clock.now())
})

test('is at least that of an entry that the log has', () => {
  const clock = createDrivenClock()
  const time = createSessionTime(clock)
  time.reach(clock.now() + day)
  clock.advance(7)
  expect(time.now()).toBe(clock.now() + day)
})

test('never decreases, always goes on, and knows when each entry was stored, however the clock is set', () => {
  const steps = fc.array(fc.tuple(fc.nat(10_000), fc.integer({ min: -day, max: day })), { maxLength: 7 })
  fc.assert(
    fc.property(steps, (course) => {
      const clock = createDrivenClock()
      const time = createSessionTime(clock)
      const stored = [{ at: time.now(), monotonic: clock.monotonic() }]
      for (const [ms, step] of course) {
        clock.advance(ms)
        clock.stepWall(step)
        const last = stored.at(-1)
        const at = time.now()
        expect(at - (last?.at ?? 0)).toBeGreaterThanOrEqual(ms)
        stored.push({ at, monotonic: clock.monotonic() })
      }
      for (const { at, monotonic } of stored) expect(time.toMonotonic(at)).toBe(monotonic)
    }),
    { numRuns: runs(100) },
  )
})
