import fc from 'fast-check'
import { expect, test } from 'vitest'
import { runs } from '../testing/runs.ts'
import { toOneLine } from './one-line.ts'

test('toOneLine() gives text without line breaks back as it is', () => {
  expect(toOneLine('{ "a": "\\n" }')).toBe('{ "a": "\\n" }')
})

test.each(['\n', '\r', '\r\n', '\n\n'])('toOneLine() removes %j', (lineBreak) => {
  expect(toOneLine(`[1,${lineBreak}2${lineBreak}]${lineBreak}`)).toBe('[1,2]')
})

test('toOneLine() keeps the value of any JSON', () => {
  fc.assert(
    fc.property(fc.json(), fc.constantFrom('\n', '\r', '\r\n'), (json, lineBreak) => {
      const pretty = JSON.stringify(JSON.parse(json), null, 1).replaceAll('\n', lineBreak)
      expect(toOneLine(pretty)).not.toMatch(/[\r\n]/)
      expect(JSON.parse(toOneLine(pretty))).toEqual(JSON.parse(json))
    }),
    { numRuns: runs(200) },
  )
})
