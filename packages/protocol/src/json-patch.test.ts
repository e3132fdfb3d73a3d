import { describe, expect, test } from 'vitest'
import type { JsonValue } from './json.ts'
import { applyJsonPatch } from './json-patch.ts'

const apply = (document: JsonValue | undefined, ...operations: readonly JsonValue[]) =>
  applyJsonPatch(document, operations, 1_000_000)

describe('applyJsonPatch()', () => {
  // The examples of RFC 6902, appendix A.
  test.each<[string, JsonValue, readonly JsonValue[], JsonValue]>([
    [
      'A.1 adds a member',
      { foo: 'bar' },
      [{ op: 'add', path: '/baz', value: 'qux' }],
      { baz: 'qux', foo: 'bar' },
    ],
    [
      'A.2 adds an item',
      { foo: ['bar', 'baz'] },
      [{ op: 'add', path: '/foo/1', value: 'q' }],
      { foo: ['bar', 'q', 'baz'] },
    ],
    ['A.3 removes a member', { baz: 'qux', foo: 'bar' }, [{ op: 'remove', path: '/baz' }], { foo: 'bar' }],
    [
      'A.4 removes an item',
      { foo: ['bar', 'qux', 'baz'] },
      [{ op: 'remove', path: '/foo/1' }],
      { foo: ['bar', 'baz'] },
    ],
    ['A.5 replaces', { baz: 'qux' }, [{ op: 'replace', path: '/baz', value: 'boo' }], { baz: 'boo' }],
    [
      'A.6 moves a member',
      { foo: { waldo: 1 }, qux: {} },
      [{ op: 'move', from: '/foo/waldo', path: '/qux/thud' }],
      { foo: {}, qux: { thud: 1 } },
    ],
    [
      'A.7 moves an item',
      { foo: ['all', 'grass', 'cows', 'eat'] },
      [{ op: 'move', from: '/foo/1', path: '/foo/3' }],
      { foo: ['all', 'cows', 'eat', 'grass'] },
    ],
    [
      'A.8 tests',
      { baz: 'qux', foo: ['a', 2, 'c'] },
      [{ op: 'test', path: '/foo/1', value: 2 }],
      { baz: 'qux', foo: ['a', 2, 'c'] },
    ],
    [
      'A.10 adds a nested object',
      { foo: 'bar' },
      [{ op: 'add', path: '/child', value: { grandchild: {} } }],
      { foo: 'bar', child: { grandchild: {} } },
    ],
    [
      'A.11 passes over other members',
      { foo: 'bar' },
      [{ op: 'add', path: '/baz', value: 'qux', xyz: 123 }],
      { foo: 'bar', baz: 'qux' },
    ],
    ['A.14 reads ~01', { '/': 9, '~1': 10 }, [{ op: 'test', path: '/~01', value: 10 }], { '/': 9, '~1': 10 }],
    [
      'A.16 adds an array',
      { foo: ['bar'] },
      [{ op: 'add', path: '/foo/-', value: ['abc', 'def'] }],
      { foo: ['bar', ['abc', 'def']] },
    ],
    ['the whole document', { a: 1 }, [{ op: 'replace', path: '', value: [2] }], [2]],
  ])('%s', (_, document, operations, after) => {
    const before = JSON.stringify(document)
    expect(apply(document, ...operations)).toEqual(after)
    expect(JSON.stringify(document)).toBe(before)
  })

  test.each<[string, JsonValue | undefined, JsonValue]>([
    ['A.9 a test that fails', { baz: 'qux' }, { op: 'test', path: '/baz', value: 'bar' }],
    ['A.12 a target that is absent', { foo: 'bar' }, { op: 'add', path: '/baz/bat', value: 'qux' }],
    ['A.15 strings and numbers', { '~1': 10 }, { op: 'test', path: '/~01', value: '10' }],
    ['an index out of range', { foo: [1] }, { op: 'add', path: '/foo/2', value: 1 }],
    ['an index with a leading zero', { foo: [1, 2] }, { op: 'remove', path: '/foo/01' }],
    ['an inherited member', {}, { op: 'replace', path: '/constructor', value: 1 }],
    ['an unknown operation', {}, { op: 'merge', path: '' }],
    ['an operation that is no object', {}, 'add'],
    ['no document', undefined, { op: 'add', path: '/a', value: 1 }],
  ])('does not apply: %s', (_, document, operation) => {
    expect(apply(document, operation)).toBeUndefined()
  })

  test('a member named __proto__ is one like any other', () => {
    const after = apply({}, { op: 'add', path: '/__proto__', value: { polluted: true } })
    expect(JSON.stringify(after)).toBe('{"__proto__":{"polluted":true}}')
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined()
  })

  test('does not grow without bound, in size or in depth', () => {
    const grow = { op: 'copy', from: '', path: '/a' }
    expect(
      applyJsonPatch(
        { a: 'x'.repeat(100) },
        Array.from({ length: 100 }, () => grow),
        10_000,
      ),
    ).toBeUndefined()
    const deepen = { op: 'copy', from: '', path: '/a' }
    expect(
      applyJsonPatch(
        { a: 1 },
        Array.from({ length: 70 }, () => deepen),
        Number.POSITIVE_INFINITY,
      ),
    ).toBeUndefined()
  })
})
