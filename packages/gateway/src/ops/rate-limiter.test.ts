import type { Clock } from '@sluice/protocol'
import { createDrivenClock } from '@sluice/protocol/testing'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createRateLimiter } from './rate-limiter.ts'

const runs = (base: number): number => base * Number(process.env['SLUICE_ROUNDS'] ?? 1)

/** A clock that moves only when the test moves it. */
function driveClock(startMs = 1_700_000_000_000) {
  let nowMs = startMs
  const clock: Clock = { now: () => nowMs, monotonic: () => nowMs, after: () => ({ clear: () => undefined }) }
  return {
    clock,
    move: (ms: number): void => {
      nowMs += ms
    },
  }
}

const rate = fc.record({
  perSecond: fc.oneof(fc.integer({ min: 1, max: 10_000 }), fc.double({ min: 0.01, max: 100, noNaN: true })),
  burst: fc.integer({ min: 1, max: 200 }),
})
const pauses = fc.array(
  fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 50 }), fc.integer({ min: 0, max: 5000 })),
  {
    maxLength: 300,
  },
)

describe('createRateLimiter()', () => {
  test('gives a full bucket at once, then tokens at its rate', () => {
    const { clock, move } = driveClock()
    const limiter = createRateLimiter(clock, { perSecond: 10, burst: 3 })
    expect([1, 2, 3].map(() => limiter.take('a'))).toEqual([0, 0, 0])
    expect(limiter.take('a')).toBe(100)
    move(99)
    expect(limiter.take('a')).toBe(1)
    move(1)
    expect(limiter.take('a')).toBe(0)
    expect(limiter.take('a')).toBe(100)
  })

  test('saves up a second’s tokens where nothing else is said', () => {
    const limiter = createRateLimiter(driveClock().clock, { perSecond: 5000 })
    const taken = Array.from({ length: 6000 }, () => limiter.take('a')).filter((waitMs) => waitMs === 0)
    expect(taken).toHaveLength(5000)
  })

  test('gives a slow rate one token at least', () => {
    const { clock, move } = driveClock()
    const limiter = createRateLimiter(clock, { perSecond: 0.5 })
    expect(limiter.take('a')).toBe(0)
    expect(limiter.take('a')).toBe(2000)
    move(2000)
    expect(limiter.take('a')).toBe(0)
  })

  test('gives no more than the bucket and the rate in any span of any course', () => {
    fc.assert(
      fc.property(rate, pauses, (limits, course) => {
        const { clock, move } = driveClock()
        const limiter = createRateLimiter(clock, limits)
        const takenAt: number[] = []
        for (const ms of course) {
          move(ms)
          if (limiter.take('a') === 0) takenAt.push(clock.now())
        }
        takenAt.forEach((from, first) => {
          takenAt.slice(first).forEach((to, index) => {
            const most = limits.burst + ((to - from) / 1000) * limits.perSecond
            expect(index + 1).toBeLessThanOrEqual(most + 1e-6)
          })
        })
      }),
      { numRuns: runs(200) },
    )
  })

  test('has a token exactly when it said so, in any course', () => {
    fc.assert(
      fc.property(rate, pauses, (limits, course) => {
        const { clock, move } = driveClock()
        const limiter = createRateLimiter(clock, limits)
        for (const ms of course) {
          move(ms)
          const waitMs = limiter.take('a')
          if (waitMs === 0) continue
          move(waitMs - 1)
          expect(limiter.take('a')).toBe(1)
          move(1)
          expect(limiter.take('a')).toBe(0)
        }
      }),
      { numRuns: runs(200) },
    )
  })

  test('loses no token to rounding over a long time', () => {
    const { clock, move } = driveClock()
    const limiter = createRateLimiter(clock, { perSecond: 5000 })
    let taken = 0
    for (let at = 0; at < 20_000; at++) {
      while (limiter.take('a') === 0) taken++
      move(1)
    }
    expect(taken).toBeGreaterThanOrEqual(5000 + 19_999 * 5 - 1)
    expect(taken).toBeLessThanOrEqual(5000 + 20_000 * 5)
  })

  test('keeps subjects apart', () => {
    fc.assert(
      fc.property(rate, fc.array(fc.tuple(fc.constantFrom('a', 'b', 'c'), fc.nat(300))), (limits, course) => {
        const { clock, move } = driveClock()
        const shared = createRateLimiter(clock, limits)
        const alone = new Map(['a', 'b', 'c'].map((subject) => [subject, createRateLimiter(clock, limits)]))
        for (const [subject, ms] of course) {
          move(ms)
          expect(shared.take(subject)).toBe(alone.get(subject)?.take(subject))
        }
      }),
      { numRuns: runs(200) },
    )
  })

  test('remembers so many subjects and no more, and forgets the least recently seen', () => {
    const limiter = createRateLimiter(driveClock().clock, { perSecond: 1, maxSubjects: 3 })
    for (const subject of ['a', 'b', 'c', 'a', 'd']) limiter.take(subject)
    expect(limiter.size).toBe(3)
    expect(['c', 'a', 'd'].map((subject) => limiter.take(subject) > 0)).toEqual([true, true, true])
    expect(limiter.take('b')).toBe(0)
    for (let at = 0; at < 10_000; at++) limiter.take(`subject ${at}`)
    expect(limiter.size).toBe(3)
  })

  test.each([-3_600_000, 3_600_000])('does not notice that the clock is set by %i ms', (ms) => {
    const clock = createDrivenClock()
    const limiter = createRateLimiter(clock, { perSecond: 10, burst: 2 })
    limiter.take('a')
    clock.stepWall(ms)
    expect([limiter.take('a'), limiter.take('a'), limiter.take('b')]).toEqual([0, 100, 0])
    clock.advance(99)
    expect(limiter.take('a')).toBe(1)
    clock.advance(1)
    expect(limiter.take('a')).toBe(0)
  })

  test.each([0, -1, Number.NaN])('refuses the rate %d', (perSecond) => {
    expect(() => createRateLimiter(driveClock().clock, { perSecond })).toThrow(RangeError)
  })
})
