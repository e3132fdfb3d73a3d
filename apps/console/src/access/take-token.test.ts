import { expect, test } from 'vitest'
import { tokenIn } from './take-token.ts'

test.each([
  ['', undefined],
  ['#', undefined],
  ['#token=', undefined],
  ['#token=slk_local_a.b-c', 'slk_local_a.b-c'],
  ['#other=1&token=x%2By', 'x+y'],
])('tokenIn(%j)', (hash, token) => expect(tokenIn(hash)).toBe(token))
