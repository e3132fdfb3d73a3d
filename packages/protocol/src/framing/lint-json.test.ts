import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { runs } from '../testing/runs.ts'
import { type JsonLintFinding, lintJson } from './lint-json.ts'

const duplicate = (pointer: string): JsonLintFinding => ({ code: 'duplicate_key', pointer })
const unsafe = (pointer: string): JsonLintFinding => ({ code: 'unsafe_number', pointer })

describe('lintJson()', () => {
  test.each<[string, JsonLintFinding[]]>([
    ['{"a":1,"b":{"a":1},"c":[{"a":1},{"a":1}]}', []],
    ['{"a":1,"a":2}', [duplicate('/a')]],
    ['{"a":1,"a":2,"a":3}', [duplicate('/a'), duplicate('/a')]],
    ['{"a":{},"b":[],"a":"a"}', [duplicate('/a')]],
    ['[0,{"x":{"y":1 , "y" : 2}}]', [duplicate('/1/x/y')]],
    ['{"a/b":{"~":1,"~":2}}', [duplicate('/a~1b/~0')]],
    ['{"\\u0061":1,"a":2}', [duplicate('/a')]],
    ['{"\\"":1,"\\\\":2,"\\\\":3}', [duplicate('/\\')]],
    ['{"":1,"":2}', [duplicate('/')]],
    ['{"__proto__":1,"constructor":2}', []],
    ['{"a":"a","b":["a","a"],"c":"a"}', []],
    ['{"a":"\\",\\"a\\":","b":1}', []],
    ['9007199254740993', [unsafe('')]],
    ['[9007199254740991,-9007199254740991,9007199254740992,-9007199254740992]', [unsafe('/2'), unsafe('/3')]],
    ['{"id":12345678901234567890}', [unsafe('/id')]],
    ['[1e400,-1E+400,1e308,1e-400,0.1,1.5e20,-0]', [unsafe('/0'), unsafe('/1')]],
    ['{"a":["12345678901234567890"]}', []],
    ['[[1,2],{"a":[0,1e999]},[],1e999]', [unsafe('/1/a/1'), unsafe('/3')]],
  ])('finds in %s exactly what is lost', (json, findings) => {
    JSON.parse(json)
    expect(lintJson(json)).toEqual(findings)
  })

  test('keeps the first 20 findings', () => {
    const findings = lintJson(`[${Array.from({ length: 100 }, () => '1e999').join()}]`)
    expect(findings).toEqual(Array.from({ length: 20 }, (_, i) => unsafe(`/${i}`)))
  })

  test('reads 10 000 levels of nesting', () => {
    const depth = 10_000
    const json = `${'[{"a":'.repeat(depth)}1e999${'}]'.repeat(depth)}`
    expect(lintJson(json)).toEqual([unsafe('/0/a'.repeat(depth))])
  })

  test('reads a string of 10 MB full of escapes', () => {
    expect(lintJson(`{"a":"${'\\"\\\\'.repeat(2_500_000)}","a":1}`)).toEqual([duplicate('/a')])
  })

  test('finds nothing in what JSON.stringify wrote of safe values', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const json = JSON.stringify(value, (_, member) =>
          typeof member === 'number' ? Math.sin(member) : member,
        )
        expect(lintJson(json)).toEqual([])
      }),
      { numRuns: runs(300) },
    )
  })

  test('finds a key repeated anywhere, however it is escaped', () => {
    const key = fc.string({ unit: 'binary', maxLength: 4 })
    fc.assert(
      fc.property(fc.uniqueArray(key, { minLength: 1 }), fc.nat(), fc.string(), (keys, pick, value) => {
        const repeated = keys[pick % keys.length] ?? ''
        const members = keys.map((each) => `${JSON.stringify(each)}:${JSON.stringify(value)}`)
        const json = `[{${members.join()},${escapeAll(repeated)}:null}]`
        const step = repeated.replaceAll('~', '~0').replaceAll('/', '~1')
        expect(lintJson(json)).toEqual([duplicate(`/0/${step}`)])
      }),
      { numRuns: runs(100) },
    )
  })

  test('ends and does not throw on any text', () => {
    const piece = fc.constantFrom(
      '"',
      '\\',
      '{',
      '}',
      '[',
      ']',
      ',',
      ':',
      '1',
      '-',
      'e',
      'a',
      '"a"',
      '\\u12',
      ' ',
    )
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.array(piece).map((pieces) => pieces.join('')),
        ),
        (text) => {
          expect(lintJson(text).length).toBeLessThanOrEqual(20)
        },
      ),
      { numRuns: runs(500) },
    )
  })
})

function escapeAll(text: string): string {
  const units = Array.from({ length: text.length }, (_, i) =>
    text.charCodeAt(i).toString(16).padStart(4, '0'),
  )
  return `"${units.map((unit) => `\\u${unit}`).join('')}"`
}
