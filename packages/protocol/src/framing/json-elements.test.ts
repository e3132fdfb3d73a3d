import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { runs } from '../testing/runs.ts'
import {
  createJsonElementsDecoder,
  type JsonElementsFault,
  type JsonElementsResult,
} from './json-elements.ts'

const encoder = new TextEncoder()

function decode(input: string | Uint8Array, maxElementBytes?: number): JsonElementsResult[] {
  const decoder = createJsonElementsDecoder(maxElementBytes === undefined ? {} : { maxElementBytes })
  const chunk = typeof input === 'string' ? encoder.encode(input) : input
  return [...decoder.push(chunk), ...decoder.end()]
}

const text = (value: string, line = 1): JsonElementsResult => ({ ok: true, text: value, line })
const fault = (code: JsonElementsFault['code'], bytes = 0, line = 1): JsonElementsResult => ({
  ok: false,
  code,
  line,
  bytes,
})

describe('createJsonElementsDecoder()', () => {
  test.each<[string, JsonElementsResult[]]>([
    ['', []],
    [' \n\t\r', []],
    ['[]', []],
    ['[1]', [text('1')]],
    [
      '\ufeff [ 1 , "a,]" ,{"b":[2]}, [3,[4]] ,null ] \n',
      [text('1'), text('"a,]"'), text('{"b":[2]}'), text('[3,[4]]'), text('null')],
    ],
    ['[\n{\n"a": 1\n},\n{}]', [text('{\n"a": 1\n}', 2), text('{}', 5)]],
    ['["\\"]","\\\\","é😀"]', [text('"\\"]"'), text('"\\\\"'), text('"é😀"')]],
    [
      '{"a":1}\n{"a":\n2}{"a":3} [4]',
      [text('{"a":1}'), text('{"a":\n2}', 2), text('{"a":3}', 3), text('[4]', 3)],
    ],
    ['["a\nb",\n1]', [text('"a\nb"'), text('1', 3)]],
    ['1 true\n"a""b"null', [text('1'), text('true'), text('"a"', 2), text('"b"', 2), text('null', 2)]],
    ['[1]\n[2,3]', [text('1'), text('2', 2), text('3', 2)]],
  ])('reads the elements of %j', (input, expected) => {
    expect(decode(input)).toEqual(expected)
  })

  test.each<[string, JsonElementsResult[]]>([
    ['[1 2]', [text('1'), fault('missing_comma'), text('2')]],
    ['[{}\n{}]', [text('{}'), fault('missing_comma', 0, 2), text('{}', 2)]],
    ['[1,\n]', [text('1'), fault('trailing_comma', 1, 2)]],
    ['[,1]', [fault('unexpected_text', 1), text('1')]],
    ['[1,, ,2]', [text('1'), fault('unexpected_text', 2), text('2')]],
    ['[1}:,2]', [text('1'), fault('unexpected_text', 2), text('2')]],
    ['{"a":1},{"a":2}', [text('{"a":1}'), fault('unexpected_text', 1), text('{"a":2}')]],
    ['[1] 2 x', [text('1'), fault('text_after_array'), text('2'), fault('text_after_array'), text('x')]],
    ['[1]]}\n[2]', [text('1'), fault('unexpected_text', 2), text('2', 2)]],
    [']}', [fault('unexpected_text', 2)]],
    ['\n]}]\n{}', [fault('unexpected_text', 3, 2), text('{}', 3)]],
    ['[', [fault('array_not_closed')]],
    ['\n[1,', [text('1', 2), fault('array_not_closed', 0, 2)]],
    ['[1', [text('1'), fault('array_not_closed')]],
    ['[{"a":1]', [text('{"a":1]'), fault('array_not_closed')]],
    ['[\n{"a":[1}', [fault('element_not_closed', 8, 2), fault('array_not_closed')]],
    ['{"a":"}', [fault('element_not_closed', 7)]],
    ['"a\\"', [fault('element_not_closed', 4)]],
    ['[a b]', [text('a'), fault('missing_comma'), text('b')]],
  ])('reports what is wrong in %j and reads on', (input, expected) => {
    expect(decode(input)).toEqual(expected)
  })

  test('reports an element that is not UTF-8 and delivers its neighbours', () => {
    const bytes = Uint8Array.of(0x5b, 0x31, 0x2c, 0x22, 0xff, 0x22, 0x2c, 0x32, 0x5d)
    expect(decode(bytes)).toEqual([text('1'), fault('invalid_utf8', 3), text('2')])
  })

  test('keeps an element of exactly the bound and discards one byte more', () => {
    expect(decode('["123",\n{"a":[]},12345,123456]', 5)).toEqual([
      text('"123"'),
      fault('element_too_long', 8, 2),
      text('12345', 2),
      fault('element_too_long', 6, 2),
    ])
  })

  test('reports an element four times the bound once and delivers the element after it', () => {
    const decoder = createJsonElementsDecoder({ maxElementBytes: 1024 * 1024 })
    const chunk = new Uint8Array(64 * 1024).fill(0x61)
    decoder.push(encoder.encode('[["'))
    for (let i = 0; i < 64; i++) expect(decoder.push(chunk)).toEqual([])
    expect(decoder.push(encoder.encode('"], 1]'))).toEqual([
      fault('element_too_long', 4 + 64 * chunk.length),
      text('1'),
    ])
  })

  test('gives one fault for a megabyte of stray brackets', () => {
    expect(decode(']}'.repeat(500_000))).toEqual([fault('unexpected_text', 1_000_000)])
  })

  test('returns any values of an array or a sequence with their exact text', () => {
    const source = fc
      .tuple(fc.jsonValue(), fc.constantFrom(undefined, 1, '\t'))
      .map(([value, indent]) => JSON.stringify(value, null, indent))
    const space = fc.string({ unit: fc.constantFrom(' ', '\t', '\n', '\r'), maxLength: 3 })
    fc.assert(
      fc.property(fc.array(source, { minLength: 1 }), space, space, (sources, before, after) => {
        const array = decode(`[${sources.map((each) => before + each + after).join()}]`)
        expect(array.map((result) => (result.ok ? result.text : result))).toEqual(sources)
        const values = sources.filter((each) => !each.startsWith('['))
        const sequence = decode(values.map((each) => before + each + after).join(' '))
        expect(sequence.map((result) => (result.ok ? result.text : result))).toEqual(values)
      }),
      { numRuns: runs(300) },
    )
  })
})
