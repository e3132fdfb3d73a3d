import { describe, expect, test } from 'vitest'
import { createPlace } from './place.ts'

describe('createPlace()', () => {
  test('takes each frame once', () => {
    const place = createPlace('-1')
    place.begun(undefined)
    expect(['0', '1', '1', '0', '2.1', '2'].map(place.takes)).toEqual([true, true, false, false, true, true])
    expect(place.after()).toBe('2')
  })

  test('takes all frames at its start, by which a dialect joins, but not once more on another connection', () => {
    const place = createPlace('4')
    place.begun(undefined)
    expect(['4', '4', '5'].map(place.takes)).toEqual([true, true, true])
    place.begun(undefined)
    expect(['5', '4', '6'].map(place.takes)).toEqual([false, false, true])
  })

  test('does not take the frame by which a dialect joins again when nothing came behind it', () => {
    const place = createPlace('4')
    place.begun(undefined)
    expect(place.takes('4')).toBe(true)
    place.begun(undefined)
    expect(place.takes('4')).toBe(false)
  })

  test('takes them on the next connection when the first brought nothing', () => {
    const place = createPlace('4')
    place.begun(undefined)
    place.begun(undefined)
    expect(place.takes('4')).toBe(true)
  })

  test.each(['4.0.toy.2', '4.0.e1', '4.0.2'])(
    'takes every frame after the last unit of a kept cursor, %s',
    (kept) => {
      const place = createPlace(kept)
      place.begun(undefined)
      const cursors = ['4.0', '4.0.aaep.1', '4.0.aaep.2', '4.0.e1', '4.0.e1.aaep.1', '4.1', '4']
      expect(cursors.map(place.takes)).toEqual(cursors.map(() => true))
      place.begun(undefined)
      expect(cursors.map(place.takes)).toEqual(cursors.map(() => false))
    },
  )

  test('takes each frame inside of an entry once', () => {
    const place = createPlace('3')
    place.begun(undefined)
    expect(['4.0.aaep.1', '4.0.aaep.1', '4.0.aaep.2', '4.1', '4.0.aaep.2'].map(place.takes)).toEqual([
      true,
      false,
      true,
      true,
      false,
    ])
    expect(place.after()).toBe('4.1')
  })

  test('moves without a frame, and never back', () => {
    const place = createPlace('4')
    place.moved('7')
    expect(place.after()).toBe('7')
    place.moved('6')
    expect(place.after()).toBe('7')
    expect(place.takes('7')).toBe(false)
  })

  test('reads from where the gateway says after a gap', () => {
    const place = createPlace('90')
    place.begun(undefined)
    place.restarted('-1')
    expect(place.after()).toBe('-1')
    expect(place.takes('0')).toBe(true)
  })

  test('has caught up when it reaches what was there when reading began', () => {
    const place = createPlace('-1')
    place.begun('1')
    expect(place.isCaughtUp()).toBe(false)
    place.takes('0')
    expect(place.isCaughtUp()).toBe(false)
    place.takes('1')
    expect(place.isCaughtUp()).toBe(true)
    place.begun(undefined)
    expect(place.isCaughtUp()).toBe(false)
  })

  test('refuses a cursor that the caller made up', () => {
    expect(() => createPlace('yesterday')).toThrowError(expect.objectContaining({ code: 'bad_cursor' }))
  })

  test('takes a frame without a cursor for a broken connection', () => {
    const place = createPlace('-1')
    expect(() => place.takes('')).toThrowError(expect.objectContaining({ code: 'gateway_unreachable' }))
  })
})
