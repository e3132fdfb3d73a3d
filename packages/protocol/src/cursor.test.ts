import { describe, expect, test } from 'vitest'
import {
  type Cursor,
  formatCursor,
  isSameCursor,
  maxCursorCharacters,
  parseCursor,
  splitEvents,
} from './cursor.ts'
import type { SluiceEvent } from './events.ts'

const text: SluiceEvent = {
  kind: 'text-delta',
  output: 'a',
  take: 0,
  position: 5,
  text: 'a👍c',
  channel: 'answer',
}
const empty: SluiceEvent = { ...text, text: '' }
const end: SluiceEvent = { kind: 'text-end', output: 'a', take: 0 }

describe('parseCursor()', () => {
  const forms: readonly [text: string, cursor: Cursor][] = [
    ['-1', { seq: -1 }],
    ['0', { seq: 0 }],
    ['12.3', { seq: 12, units: 3 }],
    ['12.0.e2', { seq: 12, units: 0, empty: 2 }],
    ['12.3.aaep.1', { seq: 12, units: 3, frames: 1, dialect: 'aaep' }],
    ['12.3.e1.a2a-v1.4', { seq: 12, units: 3, empty: 1, frames: 4, dialect: 'a2a-v1' }],
    ['12.3.e1.1', { seq: 12, units: 3, frames: 1, dialect: 'e1' }],
  ]
  test.each(forms)('reads %s, and formatCursor() writes it again', (written, cursor) => {
    expect(parseCursor(written)).toEqual(cursor)
    expect(formatCursor(cursor)).toBe(written)
  })

  test('ignores the third number of earlier versions, which did not say whose frames it counted', () => {
    expect(parseCursor('12.3.2')).toEqual({ seq: 12, units: 3 })
  })

  test('reads the longest cursor, and takes nothing longer', () => {
    const most = '9'.repeat(15)
    const longest = `${most}.${most}.e${most}.${'a'.repeat(32)}.${most}`
    expect(longest).toHaveLength(maxCursorCharacters)
    expect(formatCursor(parseCursor(longest))).toBe(longest)
    expect(() => parseCursor(`${longest}9`)).toThrowError(expect.objectContaining({ code: 'bad_cursor' }))
  })

  test('needs no escape in a URL', () => {
    for (const [written] of forms) {
      expect(encodeURIComponent(written)).toBe(written)
      expect(String(new URLSearchParams({ after: written }))).toBe(`after=${written}`)
    }
  })

  test.each([
    '',
    'now',
    '1.',
    '-2',
    '1.2.3.4',
    '1.2.3.aaep.1',
    '1.2.e',
    '1.e1',
    '1.aaep.1',
    '1.2.aaep',
    '1.2.AAEP.1',
    `1.2.${'a'.repeat(33)}.1`,
    '1e3',
    ' 1',
    '9999999999999999',
  ])('refuses %j', (cursor) => {
    expect(() => parseCursor(cursor)).toThrowError(expect.objectContaining({ code: 'bad_cursor' }))
  })
})

test('isSameCursor() compares every part', () => {
  const cursors = ['1', '1.2', '1.3', '1.2.e1', '1.2.aaep.1', '1.2.aaep.2', '1.2.toy.1', '2'].map(parseCursor)
  for (const [i, a] of cursors.entries())
    for (const [j, b] of cursors.entries()) expect(isSameCursor(a, { ...b })).toBe(i === j)
})

describe('splitEvents()', () => {
  const at = (units: number, empties = 0) => ({ units, empty: empties })

  test('counts a code point of text and any other event as one unit', () => {
    expect(splitEvents([text, end], at(3))).toEqual({ before: [text], after: [end], empty: 0 })
    expect(splitEvents([text, end], at(4))).toEqual({ before: [text, end], after: [], empty: 0 })
  })

  test('cuts a text between code points and moves the position on', () => {
    expect(splitEvents([text, end], at(2))).toEqual({
      before: [{ ...text, text: 'a👍' }],
      after: [{ ...text, text: 'c', position: 7 }, end],
      empty: 0,
    })
  })

  test('gives everything back at zero', () => {
    expect(splitEvents([text, end], at(0))).toEqual({ before: [], after: [text, end], empty: 0 })
  })

  test('passes as many empty pieces as are there, and no more than it should', () => {
    const events = [empty, text, empty, empty, end]
    expect(splitEvents(events, at(0, 1))).toMatchObject({ before: [empty], empty: 1 })
    expect(splitEvents(events, at(0, 9))).toMatchObject({ before: [empty], empty: 1 })
    expect(splitEvents(events, at(3))).toMatchObject({ before: [empty, text], empty: 0 })
    expect(splitEvents(events, at(3, 1))).toMatchObject({ after: [empty, end], empty: 1 })
    expect(splitEvents(events, at(3, 2))).toMatchObject({ after: [end], empty: 2 })
    expect(splitEvents(events, at(4, 1))).toMatchObject({ after: [], empty: 0 })
    // Inside a text there are none.
    expect(splitEvents(events, at(1, 1))).toMatchObject({ before: [empty, { text: 'a' }], empty: 0 })
  })
})
