import { describe, expect, test } from 'vitest'
import { toLine } from './source-line.ts'
import { findDelimiters, splitCells } from './table-lines.ts'

describe('splitCells()', () => {
  test.each([
    ['a | b', ['a', 'b']],
    ['| a | b |', ['a', 'b']],
    ['| a || b |', ['a', '', 'b']],
    ['a \\| b | c', ['a | b', 'c']],
    ['a \\\\| b', ['a \\\\', 'b']],
    ['|', []],
    ['', []],
  ])('%j', (row, cells) => expect(splitCells(row)).toEqual(cells))
})

describe('findDelimiters()', () => {
  test.each([
    ['|---|:-:|--:|:--|', 'a|b|c|d', [undefined, 'center', 'end', 'start']],
    [' - | - ', 'a|b', [undefined, undefined]],
    [':-', 'a', ['start']],
  ])('%j below %j', (line, head, aligns) => expect(findDelimiters(toLine(line, 0), head)).toEqual(aligns))

  test.each([
    ['---', 'a'],
    ['|---|', 'a|b'],
    ['|--a--|', 'a'],
    ['| |', 'a'],
    ['    |---|', 'a'],
  ])('finds none in %j below %j', (line, head) =>
    expect(findDelimiters(toLine(line, 0), head)).toBeUndefined(),
  )
})
