import { expect, test } from 'vitest'
import { noDefinitions, takeDefinitions } from './definitions.ts'

test.each([
  ['text', 'text', {}],
  ['[a]: /b', '', { a: { href: '/b', title: '' } }],
  [
    '[A  b]: <c d> "e\\"f"\n[g]:\n  /h\ntext',
    'text',
    { 'a b': { href: 'c d', title: 'e"f' }, g: { href: '/h', title: '' } },
  ],
  ['[a]: /b\n[a]: /c', '', { a: { href: '/b', title: '' } }],
  ['[a] no', '[a] no', {}],
  ['[a]: /b c', '[a]: /b c', {}],
])('takeDefinitions(%j)', (source, rest, definitions) => {
  const taken = takeDefinitions(source, noDefinitions)
  expect(taken.rest).toBe(rest)
  expect({ ...taken.definitions }).toEqual(definitions)
})

test('a label may be a name that objects know', () => {
  const { definitions } = takeDefinitions('[__proto__]: /a\n[constructor]: /b', noDefinitions)
  expect(Object.keys(definitions)).toEqual(['__proto__', 'constructor'])
  expect(Object.getPrototypeOf(definitions)).toBeNull()
})

test('definitions have a number that they do not exceed', () => {
  const source = Array.from({ length: 600 }, (_, index) => `[a${index}]: /b`).join('\n')
  const { rest, definitions } = takeDefinitions(source, noDefinitions)
  expect(rest).toBe('')
  expect(Object.keys(definitions)).toHaveLength(500)
})
