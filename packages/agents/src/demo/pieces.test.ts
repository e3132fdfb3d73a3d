import fc from 'fast-check'
import { expect, test } from 'vitest'
import { runs } from '../testing/runs.ts'
import { toPieces } from './pieces.ts'

test.each<[string, readonly string[]]>([
  ['# A list\n\n- one\n', ['#', ' A', ' list', '\n\n-', ' one', '\n']],
  ['rounded amounts', ['rounde', 'd', ' amount', 's']],
  ['週末はどこ', ['週末', 'はど', 'こ']],
  ['سمعتُ: نعم', ['سمعتُ:', ' نعم']],
  ['', []],
])('toPieces(%j) are pieces of a few characters', (text, pieces) => {
  expect(toPieces(text)).toEqual(pieces)
})

test('the pieces of any text are the text, and well-formed', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      const pieces = toPieces(text)
      expect(pieces.join('')).toBe(text)
      expect(pieces.every((piece) => piece !== '' && piece.isWellFormed())).toBe(true)
    }),
    { numRuns: runs(500) },
  )
})
