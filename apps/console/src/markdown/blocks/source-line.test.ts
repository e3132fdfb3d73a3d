import { describe, expect, test } from 'vitest'
import { dedent, isBlank, toLine } from './source-line.ts'

describe('toLine()', () => {
  test.each([
    ['a', 0, { text: 'a', indent: 0, mark: 'a' }],
    ['  a ', 0, { text: '  a ', indent: 2, mark: 'a ' }],
    ['\ta', 0, { text: '    a', indent: 4, mark: 'a' }],
    [' \ta', 0, { text: '    a', indent: 4, mark: 'a' }],
    ['\ta\tb', 1, { text: '   a\tb', indent: 3, mark: 'a\tb' }],
  ])('reads %j in column %d', (source, column, line) =>
    expect(toLine(source, 7, column)).toMatchObject({ at: 7, ...line }),
  )

  test('looks only at the beginning of a long line', () => {
    expect(toLine('-'.repeat(100_000), 0).mark).toBe(`${'-'.repeat(4096)}…`)
    expect(toLine(' '.repeat(100_000), 0).indent).toBe(4096)
    expect(isBlank(toLine(' '.repeat(100_000), 0))).toBe(false)
  })
})

test('dedent() takes white space alone', () => {
  expect(dedent(toLine('   a', 0), 2).text).toBe(' a')
  expect(dedent(toLine(' a', 0), 2).text).toBe('a')
  expect(dedent(toLine('\ta', 0), 2)).toMatchObject({ text: '  a', indent: 2 })
})
