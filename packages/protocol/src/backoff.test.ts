import { describe, expect, test } from 'vitest'
import { createBackoff } from './backoff.ts'

const almostOne = () => 1 - Number.EPSILON
const series = (count: number, next: () => number) => Array.from({ length: count }, next)

describe('createBackoff()', () => {
  test('doubles the bound of each wait up to the largest', () => {
    const { next } = createBackoff({ baseMs: 100, maxMs: 1_000, random: almostOne })
    expect(series(6, next)).toEqual([99, 199, 399, 799, 999, 999])
  })

  test('stays at the largest bound however often it is asked', () => {
    const { next } = createBackoff({ baseMs: 1, maxMs: 500, random: () => 0.5 })
    expect(series(5_000, next).at(-1)).toBe(250)
  })

  test('takes any part of the bound, down to none', () => {
    expect(createBackoff({ random: () => 0 }).next()).toBe(0)
  })

  test('waits no shorter than it was asked to, and not in step with others', () => {
    const { next } = createBackoff({ baseMs: 100, random: () => 0.5 })
    expect(next(2_000)).toBe(2_050)
  })

  test('begins anew after a reset', () => {
    const { next, reset } = createBackoff({ baseMs: 100, random: almostOne })
    series(4, next)
    reset()
    expect(next()).toBe(99)
  })

  test('grows from the base that the gateway asks for, within the largest', () => {
    const { next, setBase } = createBackoff({ maxMs: 10_000, random: almostOne })
    setBase(3_000)
    expect(series(3, next)).toEqual([2_999, 5_999, 9_999])
    setBase(60_000)
    expect(next()).toBe(9_999)
  })
})
