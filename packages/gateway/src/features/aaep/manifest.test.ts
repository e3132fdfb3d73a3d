import { chmodSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { aaepMessageChecker } from '@sluice/protocol/dialects'
import { createDrivenClock, type DrivenClock } from '@sluice/protocol/testing'
import { compactVerify, createLocalJWKSet, decodeProtectedHeader, type JWK } from 'jose'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { defaultConfig } from '../../config/config.ts'
import { createManifest } from './manifest.ts'
import {
  addSigningKey,
  listSigningKeys,
  removeSigningKey,
  retiredForMs,
  rotateSigningKeys,
  signingKeyFileOf,
} from './signing-key-file.ts'
import { noSigningKeys, openSigningKeys, type SigningKeys } from './signing-keys.ts'

const languages = ['en', 'de', 'zh-Hans']

let data = ''
let path = ''
let clock: DrivenClock
let problems: string[]
beforeEach(() => {
  data = mkdtempSync(join(tmpdir(), 'sluice-signing-'))
  path = signingKeyFileOf(data)
  clock = createDrivenClock()
  problems = []
})
afterEach(() => rmSync(data, { recursive: true }))

const open = (): SigningKeys =>
  openSigningKeys(data, { clock, onProblem: (error) => problems.push(error.message) })
const manifestWith = (keys: SigningKeys, config = defaultConfig.aaep) =>
  createManifest({ config, languages, keys })
const verify = (jws: string, keys: SigningKeys) =>
  compactVerify(jws, createLocalJWKSet({ keys: keys.jwks().keys as JWK[] })) // plain JWKs
const kidsOf = (keys: SigningKeys) => keys.jwks().keys.map(({ kid }) => kid)

describe('createManifest()', () => {
  test.each([defaultConfig.aaep, { ...defaultConfig.aaep, contact: 'mailto:a11y@example.org' }])(
    'is valid to the letter',
    (config) => {
      const { text, producer } = manifestWith(noSigningKeys, config)
      const manifest = JSON.parse(text)
      expect(aaepMessageChecker('aaep:producer.manifest')?.exactFindings(manifest)).toEqual([])
      expect(manifest).toMatchObject({
        ...producer,
        agent_id: 'sluice',
        languages_supported: languages,
        max_concurrent_subscriptions: 10_000,
      })
      expect(manifest.contact).toBe('contact' in config ? config.contact : undefined)
    },
  )

  test('is not signed without a key', async () => {
    const manifest = manifestWith(open())
    expect(manifest.isSigned).toBe(false)
    expect(await manifest.signed()).toBeUndefined()
  })

  test('is signed as a key comes, and by another one after a rotation', async () => {
    const keys = open()
    const manifest = manifestWith(keys)
    const first = addSigningKey(path, clock.now())
    expect(manifest.isSigned).toBe(true)
    const before = (await manifest.signed()) ?? ''
    expect(decodeProtectedHeader(before)).toEqual({ alg: 'ES256', kid: first.kid, typ: 'JOSE', cty: 'json' })
    expect(await manifest.signed()).toBe(before)
    const { payload } = await verify(before, keys)
    expect(new TextDecoder().decode(payload)).toBe(manifest.text)

    const second = rotateSigningKeys(path, clock.now())
    const after = (await manifest.signed()) ?? ''
    expect(decodeProtectedHeader(after).kid).toBe(second.kid)
    await verify(after, keys)
    await verify(before, keys)
    clock.advance(retiredForMs)
    expect(kidsOf(keys)).toEqual([second.kid])
    await expect(verify(before, keys)).rejects.toThrow()
    await verify(after, keys)
  })

  test('changed by one character is not what was signed', async () => {
    addSigningKey(path, clock.now())
    const keys = open()
    const [head, , signature] = ((await manifestWith(keys).signed()) ?? '').split('.')
    const forged = Buffer.from(manifestWith(keys).text.replace('sluice', 'slvice')).toString('base64url')
    await expect(verify(`${head}.${forged}.${signature}`, keys)).rejects.toThrow()
  })
})

describe('the file of signing keys', () => {
  test('is read by its owner alone', () => {
    addSigningKey(path, clock.now())
    expect(statSync(path).mode & 0o777).toBe(0o600)
    chmodSync(path, 0o644)
    expect(open).toThrow(/chmod 600/)
  })

  test('publishes the next key before it signs', () => {
    const first = addSigningKey(path, clock.now())
    const next = addSigningKey(path, clock.now())
    expect([first.state, next.state]).toEqual(['active', 'next'])
    expect(() => addSigningKey(path, clock.now())).toThrow(/waits/)
    const keys = open()
    expect(keys.activeKid()).toBe(first.kid)
    expect(kidsOf(keys)).toEqual([first.kid, next.kid])
    expect(rotateSigningKeys(path, clock.now()).kid).toBe(next.kid)
    expect(keys.activeKid()).toBe(next.kid)
    expect(listSigningKeys(path).map(({ kid, state }) => [kid, state])).toEqual([
      [first.kid, 'retired'],
      [next.kid, 'active'],
    ])
  })

  test('keeps no private part of a key that is retired, and drops it at a rotation after its time', () => {
    const { d = 'none' } = rotateSigningKeys(path, clock.now())
    rotateSigningKeys(path, clock.now())
    expect(readFileSync(path, 'utf8')).not.toContain(d)
    expect(listSigningKeys(path)).toHaveLength(2)
    clock.advance(retiredForMs)
    rotateSigningKeys(path, clock.now())
    expect(listSigningKeys(path).map(({ state }) => state)).toEqual(['retired', 'active'])
  })

  test('signs nothing when its active key is removed', async () => {
    const { kid } = addSigningKey(path, clock.now())
    const keys = open()
    expect(removeSigningKey(path, 'none')).toBe(false)
    expect(removeSigningKey(path, kid)).toBe(true)
    expect(keys.activeKid()).toBeUndefined()
    expect(await keys.sign('x')).toBeUndefined()
    expect(kidsOf(keys)).toEqual([])
  })

  test('that is bad is told once, and what it said before holds', () => {
    const { kid } = addSigningKey(path, clock.now())
    const keys = open()
    const [key] = listSigningKeys(path)
    writeFileSync(path, JSON.stringify({ version: 1, keys: [key, { ...key, kid: 'a'.repeat(16) }] }))
    expect(keys.activeKid()).toBe(kid)
    expect(keys.activeKid()).toBe(kid)
    expect(problems).toEqual([`${path}: /keys/1: another key is active already`])
    expect(() => rotateSigningKeys(path, clock.now())).toThrow(/another key is active/)
  })
})
