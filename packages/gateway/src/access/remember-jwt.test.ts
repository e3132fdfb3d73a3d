import { SluiceError } from '@sluice/protocol'
import { beforeEach, describe, expect, test } from 'vitest'
import { maxRemembered, rememberJwt, rememberMs } from './remember-jwt.ts'

let nowMs = 0
let verified: string[] = []
const clock = { now: () => nowMs, monotonic: () => nowMs, after: () => ({ clear: () => {} }) }
beforeEach(() => {
  ;[nowMs, verified] = [0, []]
})

function open(expiresAt: number) {
  return rememberJwt(async (token) => {
    verified.push(token)
    if (token === 'bad') throw new SluiceError('unauthenticated')
    if (expiresAt <= nowMs) throw new SluiceError('token_expired')
    return { subject: token, grants: [], agent: undefined, expiresAt }
  }, clock)
}

describe('a token that was good', () => {
  test('is not verified again for a minute', async () => {
    const verify = open(10 * rememberMs)
    for (nowMs = 0; nowMs < rememberMs; nowMs += rememberMs / 4) expect((await verify('a')).subject).toBe('a')
    expect(verified).toEqual(['a'])
    await verify('a')
    expect(verified).toEqual(['a', 'a'])
  })

  test('is verified again when it expires', async () => {
    const verify = open(1000)
    await verify('a')
    nowMs = 999
    await verify('a')
    nowMs = 1000
    await expect(verify('a')).rejects.toMatchObject({ code: 'token_expired' })
    expect(verified).toEqual(['a', 'a'])
  })

  test('is forgotten when there are too many others', async () => {
    const verify = open(10 * rememberMs)
    for (let index = 0; index <= maxRemembered; index++) await verify(String(index))
    await verify('1')
    expect(verified).toHaveLength(maxRemembered + 1)
    await verify('0')
    expect(verified).toHaveLength(maxRemembered + 2)
  })
})

test('a token that was refused is verified each time', async () => {
  const verify = open(1000)
  for (let round = 0; round < 3; round++) await expect(verify('bad')).rejects.toThrow(SluiceError)
  expect(verified).toHaveLength(3)
})
