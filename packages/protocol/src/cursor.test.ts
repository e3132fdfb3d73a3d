import { describe, expect, test } from 'vitest'
import { formatCursor, parseCursor, splitAtUnits } from './cursor.ts'
import type { SluiceEvent } from './events.ts'

const text: SluiceEvent = {
  kind: 'text-delta',
  output: 'a',
  take: 0,
  position: 5,
  text: 'a👍c',
  channel: 'answer',
}
const end: SluiceEvent = { kind: 'text-end', output: 'a', take: 0 }

describe('parseCursor()', () => {
  test.each(['-1', '0', '12', '12.3', '12.0.2'])('reads %s, and formatCursor() writes it again', (cursor) => {
    expect(formatCursor(parseCursor(cursor))).toBe(cursor)
  })

  test.each(['', 'now', '1.', '-2', '1.2.3.4', '1e3', ' 1', '9999999999999999'])('refuses %j', (cursor) => {
    expect(() => parseCursor(cursor)).toThrowError(expect.objectContaining({ code: 'bad_cursor' }))
  })
})

describe('splitAtUnits()', () => {
  test('counts a code point of text and any other event as one unit', () => {
    expect(splitAtUnits([text, end], 3)).toEqual({ before: [text], after: [end] })
    expect(splitAtUnits([text, end], 4)).toEqual({ before: [text, end], after: [] })
  })

  test('cuts a text between code points and moves the position on', () => {
    expect(splitAtUnits([text, end], 2)).toEqual({
      before: [{ ...text, text: 'a👍' }],
      after: [{ ...text, text: 'c', position: 7 }, end],
    })
  })

  test('gives everything back at zero', () => {
    expect(splitAtUnits([text, end], 0)).toEqual({ before: [], after: [text, end] })
  })
})
