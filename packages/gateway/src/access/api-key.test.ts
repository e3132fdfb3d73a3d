import crypto from 'node:crypto'
import { syncBuiltinESMExports } from 'node:module'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { equalsInConstantTime, hashApiKey, isKeyOf, keyIdOf, mintApiKey } from './api-key.ts'

afterEach(() => {
  vi.restoreAllMocks()
  syncBuiltinESMExports()
})

describe('an API key', () => {
  test('has 256 random bits and names its id', () => {
    const { id, key } = mintApiKey()
    expect(id).toMatch(/^[a-z2-7]{10}$/)
    expect(key).toMatch(/^sluice_[a-z2-7]{10}_[\w-]{43}$/)
    expect(keyIdOf(key)).toBe(id)
    const many = Array.from({ length: 1000 }, () => mintApiKey())
    expect(new Set(many.map((made) => made.key.slice(-43))).size).toBe(1000)
  })

  test('is found by its hash and by no other', () => {
    const { key } = mintApiKey()
    expect(isKeyOf(key, hashApiKey(key))).toBe(true)
    expect(isKeyOf(key, hashApiKey(mintApiKey().key))).toBe(false)
    expect(isKeyOf(key, key)).toBe(false)
    expect(isKeyOf(key, '')).toBe(false)
  })

  test.each(['', 'sluice_', 'sluice__x', `sluice_A_${'a'.repeat(43)}`, `sluice_a_${'a'.repeat(42)}`])(
    'is not %j',
    (text) => expect(keyIdOf(text)).toBeUndefined(),
  )
})

test('secrets are compared with timingSafeEqual()', () => {
  const spy = vi.spyOn(crypto, 'timingSafeEqual')
  syncBuiltinESMExports()
  expect(isKeyOf('a', hashApiKey('b'))).toBe(false)
  expect(equalsInConstantTime('same', 'same')).toBe(true)
  expect(spy).toHaveBeenCalledTimes(2)
})
