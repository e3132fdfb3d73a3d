import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { isLoopbackHost } from '../config/loopback-host.ts'
import { assertSafeBinding, keyFileOf } from './binding.ts'

const data = mkdtempSync(join(tmpdir(), 'sluice-binding-'))
afterAll(() => rmSync(data, { recursive: true }))

test.each([
  ['127.0.0.1', true],
  ['127.8.9.1', true],
  ['localhost', true],
  ['LOCALHOST', true],
  ['::1', true],
  ['[::1]', true],
  ['::ffff:127.0.0.1', true],
  ['0.0.0.0', false],
  ['::', false],
  ['192.168.0.7', false],
  ['localhost.example', false],
  ['', false],
])('isLoopbackHost(%j) is %s', (host, answer) => expect(isLoopbackHost(host)).toBe(answer))

describe('assertSafeBinding()', () => {
  const jwt = { issuer: 'https://id.example', audience: 'sluice', algorithm: 'ES256', key: '/k.pem' } as const

  test('refuses to listen for other machines without credentials', () => {
    for (const host of ['0.0.0.0', '::', '192.168.0.7', 'gate.example'])
      expect(() => assertSafeBinding({ host, auth: { jwt: [] }, data })).toThrow(
        expect.objectContaining({ code: 'bad_config', message: expect.stringContaining(host) }),
      )
  })

  test('lets loopback pass, and whatever has keys or issuers', () => {
    assertSafeBinding({ host: '127.0.0.1', auth: { jwt: [] } })
    assertSafeBinding({ host: '0.0.0.0', auth: { jwt: [jwt] } })
    assertSafeBinding({ host: '0.0.0.0', auth: { jwt: [], keys: '/etc/keys.json' } })
  })

  test('refuses to be open to all where other machines reach it', () => {
    const auth = { jwt: [jwt], anonymous: true }
    expect(() => assertSafeBinding({ host: '0.0.0.0', auth })).toThrow(
      expect.objectContaining({ code: 'bad_config', message: expect.stringContaining('auth.anonymous') }),
    )
    assertSafeBinding({ host: '127.0.0.1', auth })
    assertSafeBinding({ host: '0.0.0.0', auth: { ...auth, anonymous: false } })
  })

  test('counts the key file of the data directory once it is there', () => {
    const config = { host: '0.0.0.0', auth: { jwt: [] }, data }
    expect(() => assertSafeBinding(config)).toThrow()
    writeFileSync(keyFileOf(config) ?? '', '{}')
    assertSafeBinding(config)
  })
})
