import { expect, test } from 'vitest'
import { addLine, allPieces, joinPieces, noPieces } from './pieces.ts'

test('addLine() keeps every line, empty ones too', () => {
  const lines = ['', '', 'a', '', 'b'.repeat(10_000), 'c', '']
  const pieces = lines.reduce(addLine, noPieces)
  expect(joinPieces(pieces)).toBe(lines.join('\n'))
  expect(pieces).toMatchObject({ lines: 7, length: lines.join('\n').length })
})

test('addLine() seals what is long, and leaves it as it is', () => {
  const before = addLine(addLine(noPieces, 'a'.repeat(9000)), 'b')
  const after = addLine(before, 'c'.repeat(9000))
  expect(allPieces(before)).toHaveLength(2)
  expect(allPieces(after)).toHaveLength(2)
  expect(after.sealed[0]).toBe(before.sealed[0])
})
