import { expect, test } from 'vitest'
import { parseLogin } from './kept-login.ts'

test.each([
  [null, undefined],
  ['', undefined],
  ['null', undefined],
  ['7', undefined],
  ['{"token":1,"expiresAt":2}', undefined],
  ['{"token":"a"}', undefined],
  ['{"token":"a","expiresAt":2,"more":3}', { token: 'a', expiresAt: 2 }],
])('parseLogin(%j)', (text, login) => expect(parseLogin(text)).toEqual(login))
