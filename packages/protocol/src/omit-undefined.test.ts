import { expect, test } from 'vitest'
import { omitUndefined } from './omit-undefined.ts'

test('omitUndefined() leaves out undefined fields and nothing else', () => {
  const text: string | undefined = undefined
  const made: { readonly kind: 'a'; readonly text?: string; readonly none: null } = omitUndefined({
    kind: 'a',
    text,
    none: null,
  })
  expect(Object.keys(made)).toEqual(['kind', 'none'])
  expect(omitUndefined({ zero: 0, empty: '', no: false })).toEqual({ zero: 0, empty: '', no: false })
})

test('omitUndefined() copies, in order', () => {
  const fields = { b: 1, a: 2 }
  const copy = omitUndefined(fields)
  expect(copy).not.toBe(fields)
  expect(Object.keys(copy)).toEqual(['b', 'a'])
})
