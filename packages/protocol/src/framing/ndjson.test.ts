import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { runs } from '../testing/runs.ts'
import { createNdjsonDecoder, encodeNdjson, type NdjsonResult } from './ndjson.ts'

const encoder = new TextEncoder()

function decode(input: string | Uint8Array, maxLineBytes?: number): NdjsonResult[] {
  const decoder = createNdjsonDecoder(maxLineBytes === undefined ? {} : { maxLineBytes })
  const chunk = typeof input === 'string' ? encoder.encode(input) : input
  return [...decoder.push(chunk), ...decoder.end()]
}

const text = (value: string, line: number): NdjsonResult => ({ ok: true, text: value, line })

describe('createNdjsonDecoder()', () => {
  test.each<[string, string, NdjsonResult[]]>([
    ['nothing from no input', '', []],
    ['a line for each LF', '1\n2\n', [text('1', 1), text('2', 2)]],
    ['an unterminated last line', '1\n2', [text('1', 1), text('2', 2)]],
    ['lines without the CR of CRLF', '1\r\n2\r\n3\r', [text('1', 1), text('2', 2), text('3', 3)]],
    ['all but one trailing CR', '1\r\r\n2', [text('1\r', 1), text('2', 2)]],
    ['a CR inside a line', '1\r2\n', [text('1\r2', 1)]],
    ['no blank lines, but counts them', '\n \t\r\n\r\r\n1\n\n', [text('1', 4)]],
    ['a line with its leading and trailing space', ' 1 \n', [text(' 1 ', 1)]],
    ['the first line without its BOM', '\ufeff1\n\ufeff2\n', [text('1', 1), text('\ufeff2', 2)]],
    ['characters of every length', 'é€😀\n', [text('é€😀', 1)]],
    ['no line from a BOM alone', '\ufeff', []],
  ])('delivers %s', (_, input, expected) => {
    expect(decode(input)).toEqual(expected)
  })

  test('reports a line that is not UTF-8 and delivers its neighbours', () => {
    const bytes = Uint8Array.of(0x31, 0x0a, 0x22, 0xff, 0x22, 0x0d, 0x0a, 0x32, 0x0a, 0xef, 0xbb)
    expect(decode(bytes)).toEqual([
      text('1', 1),
      { ok: false, code: 'invalid_utf8', line: 2, bytes: 3 },
      text('2', 3),
      { ok: false, code: 'invalid_utf8', line: 4, bytes: 2 },
    ])
  })

  test('takes a partial BOM for what it is: bytes that are not UTF-8', () => {
    const fault = { ok: false, code: 'invalid_utf8', line: 1, bytes: 2 }
    expect(decode(Uint8Array.of(0xef, 0xbb))).toEqual([fault])
    expect(decode(Uint8Array.of(0xef, 0xbb, 0x0a, 0x31))).toEqual([fault, text('1', 2)])
  })

  test('keeps a line of exactly the bound and discards one byte more, whatever its line end', () => {
    expect(decode('12345\r\n123456\r\n12345\n123456\n12345', 5)).toEqual([
      text('12345', 1),
      { ok: false, code: 'line_too_long', line: 2, bytes: 6 },
      text('12345', 3),
      { ok: false, code: 'line_too_long', line: 4, bytes: 6 },
      text('12345', 5),
    ])
  })

  test('counts the bound in bytes', () => {
    expect(decode('€€\n€\n', 5)).toEqual([
      { ok: false, code: 'line_too_long', line: 1, bytes: 6 },
      text('€', 2),
    ])
  })

  test('reports a 100 MB line once and delivers the line after it', () => {
    const decoder = createNdjsonDecoder()
    const chunk = new Uint8Array(64 * 1024).fill(0x61)
    const results: NdjsonResult[] = []
    for (let i = 0; i < 1600; i++) results.push(...decoder.push(chunk))
    expect(results).toEqual([])
    expect(decoder.push(encoder.encode('\n1\n'))).toEqual([
      { ok: false, code: 'line_too_long', line: 1, bytes: 1600 * chunk.length },
      text('1', 2),
    ])
  })

  test('reports an unterminated line over the bound at the end', () => {
    expect(decode('1\n123456', 5).at(-1)).toEqual({ ok: false, code: 'line_too_long', line: 2, bytes: 6 })
  })
})

describe('encodeNdjson()', () => {
  test('puts pretty-printed JSON on one line', () => {
    expect(encodeNdjson('{\r\n  "a": 1\n}')).toBe('{  "a": 1}\n')
  })

  test('gives what the decoder reads back, for any JSON', () => {
    const layout = fc.constantFrom(undefined, 2)
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.jsonValue(), layout)), (values) => {
        const results = decode(
          values.map(([value, space]) => encodeNdjson(JSON.stringify(value, null, space))).join(''),
        )
        const read = results.map((result) => (result.ok ? JSON.parse(result.text) : result))
        expect(read).toEqual(values.map(([value]) => JSON.parse(JSON.stringify(value))))
        expect(results.map(({ line }) => line)).toEqual(values.map((_, i) => i + 1))
      }),
      { numRuns: runs(200) },
    )
  })
})
