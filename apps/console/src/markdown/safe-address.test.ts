import { expect, test } from 'vitest'
import { safeAddress } from './safe-address.ts'

test.each([
  ['https://a.b', 'https://a.b/'],
  ['HTTP://A.B:80/c d', 'http://a.b/c%20d'],
  ['https:\\\\a.b\\c', 'https://a.b/c'],
  [' https://a.b/\n', 'https://a.b/'],
  ['ht\ntps://a.b', 'https://a.b/'],
  ['https://ä.de/ö', 'https://xn--4ca.de/%C3%B6'],
  ['mailto:a@b.c?subject=x', 'mailto:a@b.c?subject=x'],
])('safeAddress() gives the normal form of %j', (address, expected) =>
  expect(safeAddress(address)).toBe(expected),
)

test.each([
  '',
  'a',
  '/a',
  '//a.b',
  '#a',
  '?a',
  'a.b/c',
  'https://',
  'https://a b',
  'javascript:alert(1)',
  'JAVASCRIPT:alert(1)',
  ' \u0000\tjava\nscript:alert(1)',
  'javascript://a.b/%0aalert(1)',
  'data:text/html,x',
  'vbscript:x',
  'blob:https://a.b/c',
  'file:///etc/passwd',
  'ftp://a.b',
  'ws://a.b',
  'view-source:https://a.b',
  'intent://a.b',
  `https://a.b/${'c'.repeat(5000)}`,
])('safeAddress() refuses %j', (address) => expect(safeAddress(address)).toBeUndefined())
