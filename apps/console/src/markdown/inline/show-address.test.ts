import { expect, test } from 'vitest'
import { showAddress } from './show-address.ts'

test.each([
  ['/a', '/a'],
  ['a\u202eb\u0000\u200bc\u2028', 'a\ufffdb\ufffd\ufffdc\ufffd'],
  ['x'.repeat(1000), `${'x'.repeat(200)}…`],
])('showAddress(%j)', (address, expected) => expect(showAddress(address)).toBe(expected))
