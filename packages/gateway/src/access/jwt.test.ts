import { createHmac, generateKeyPairSync, randomBytes } from 'node:crypto'
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Clock } from '@sluice/protocol'
import { exportJWK, exportSPKI, generateKeyPair, type JWTPayload, SignJWT } from 'jose'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { JwtIssuer } from '../config/config.ts'
import { createAuthenticator } from './authenticator.ts'
import { createJwtVerifier, type JwtVerifier } from './jwt.ts'
import { createSecretStore } from './secrets.ts'

const folder = mkdtempSync(join(tmpdir(), 'sluice-jwt-'))
afterAll(() => rmSync(folder, { recursive: true }))

const name = 'https://id.example'
const base = { issuer: name, audience: 'sluice' } as const
let nowMs = 0
const clock: Clock = { now: () => nowMs, monotonic: () => nowMs, after: () => ({ clear: () => {} }) }
const parts = { clock, onProblem: () => {} }
const refused = (code = 'unauthenticated') => expect.objectContaining({ code })

type Pair = Awaited<ReturnType<typeof generateKeyPair>>
let pair: Pair
let issuer: JwtIssuer
let verify: JwtVerifier

beforeEach(() => {
  nowMs = Date.UTC(2026, 0, 1)
})

beforeAll(async () => {
  pair = await generateKeyPair('ES256', { extractable: true })
  issuer = { ...base, algorithm: 'ES256', key: keep('es256.pem', await exportSPKI(pair.publicKey)) }
  verify = await createJwtVerifier([issuer], parts)
})

function keep(file: string, content: string | object, mode = 0o600): string {
  const path = join(folder, file)
  writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content))
  chmodSync(path, mode)
  return path
}

const seconds = (fromNowMs: number): number => Math.floor((nowMs + fromNowMs) / 1000)
const good = (): JWTPayload => ({ iss: name, aud: 'sluice', sub: 'ada', exp: seconds(60_000) })

function sign(claims: JWTPayload, key: Pair['privateKey'] | Uint8Array = pair.privateKey, alg = 'ES256') {
  return new SignJWT(claims).setProtectedHeader({ alg }).sign(key)
}

const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url')

describe('a JWT', () => {
  test('gives its subject, expiry, grants and agent', async () => {
    const sluice = { grants: ['publish:own', 'subscribe:*'], agent: 'demo' }
    expect(await verify(await sign({ ...good(), sluice }))).toEqual({
      subject: 'ada',
      grants: sluice.grants,
      agent: 'demo',
      expiresAt: nowMs + 60_000,
    })
    expect((await verify(await sign(good()))).grants).toEqual([])
    expect((await verify(await sign({ ...good(), aud: ['other', 'sluice'] }))).subject).toBe('ada')
  })

  test.each([
    ['without exp', { exp: undefined }],
    ['without aud', { aud: undefined }],
    ['without iss', { iss: undefined }],
    ['without sub', { sub: undefined }],
    ['for another audience', { aud: 'other' }],
    ['for nobody', { aud: [] }],
    ['of another issuer', { iss: 'https://evil.example' }],
    ['of an issuer with a longer name', { iss: `${name}/` }],
    ['with an empty subject', { sub: '' }],
    ['with a long subject', { sub: 'a'.repeat(257) }],
    ['with the subject anonymous', { sub: 'anonymous' }],
    ['with the subject local', { sub: 'local' }],
    ['with a claim that is no object', { sluice: 'admin' }],
    ['with grants that are no list', { sluice: { grants: 'admin:*' } }],
    ['with grants that are no texts', { sluice: { grants: [{}] } }],
    ['with an agent that is no text', { sluice: { agent: 7 } }],
  ])('%s is refused', async (_what, change) => {
    const claims = Object.fromEntries(
      Object.entries({ ...good(), ...change }).filter(([, value]) => value !== undefined),
    )
    await expect(verify(await sign(claims))).rejects.toEqual(refused())
  })

  test('is good until its exp by our clock, and not longer', async () => {
    const token = await sign(good())
    nowMs += 59_999
    await verify(token)
    nowMs += 1
    await expect(verify(token)).rejects.toEqual(refused('token_expired'))
    nowMs += 3_600_000
    await expect(verify(token)).rejects.toEqual(refused('token_expired'))
  })

  test('is not good before its nbf, save for half a minute', async () => {
    await verify(await sign({ ...good(), nbf: seconds(29_000) }))
    await expect(verify(await sign({ ...good(), nbf: seconds(31_000) }))).rejects.toEqual(refused())
  })

  test('that has expired and is forged is forged', async () => {
    const other = await generateKeyPair('ES256')
    const token = await sign({ ...good(), exp: seconds(-60_000) }, other.privateKey)
    await expect(verify(token)).rejects.toEqual(refused())
  })

  test('is refused when any part of it is changed', async () => {
    const token = await sign({ ...good(), sluice: { grants: ['subscribe:own'] } })
    const [head = '', body = '', seal = ''] = token.split('.')
    const more = part({ ...good(), sluice: { grants: ['*:*'] } })
    for (const forged of [
      `${head}.${more}.${seal}`,
      `${head}.${body}.`,
      `${head}.${body}`,
      `.${body}.${seal}`,
      `${token}.`,
    ])
      await expect(verify(forged)).rejects.toEqual(refused())
  })
})

test('issuers are told apart by their names, their keys and the prefixes of their subjects', async () => {
  const other = await generateKeyPair('ES256', { extractable: true })
  const key = keep('other.pem', await exportSPKI(other.publicKey))
  const second: JwtIssuer = {
    ...base,
    issuer: 'https://other.example',
    algorithm: 'ES256',
    key,
    subjectPrefix: 'other/',
  }
  const check = await createJwtVerifier([issuer, second], parts)
  const claims = { ...good(), iss: second.issuer }
  expect((await check(await sign(good()))).subject).toBe('ada')
  expect((await check(await sign(claims, other.privateKey))).subject).toBe('other/ada')
  await expect(check(await sign(claims))).rejects.toEqual(refused())
  await expect(check(await sign(good(), other.privateKey))).rejects.toEqual(refused())
})

describe('the algorithm', () => {
  test('none is refused, however it is spelled', async () => {
    for (const alg of ['none', 'None', 'NONE', ''])
      await expect(verify(`${part({ alg })}.${part(good())}.`)).rejects.toEqual(refused())
  })

  test('is not taken from the token: a public key is no secret', async () => {
    const { publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
    const pem = String(publicKey.export({ type: 'spki', format: 'pem' }))
    const verifyRsa = await createJwtVerifier(
      [{ ...base, algorithm: 'RS256', key: keep('rsa.pem', pem) }],
      parts,
    )
    const input = `${part({ alg: 'HS256', typ: 'JWT' })}.${part(good())}`
    for (const secret of [pem, pem.trim(), publicKey.export({ type: 'spki', format: 'der' })]) {
      const forged = `${input}.${createHmac('sha256', secret).update(input).digest('base64url')}`
      await expect(verifyRsa(forged)).rejects.toEqual(refused())
    }
  })

  test('is one alone: a key that fits two is used for the one that is configured', async () => {
    const rsa = await generateKeyPair('RS256', { extractable: true })
    const key = keep('pinned.pem', await exportSPKI(rsa.publicKey))
    const verifyRsa = await createJwtVerifier([{ ...base, algorithm: 'PS256', key }], parts)
    const { privateKey } = rsa
    await expect(verifyRsa(await sign(good(), privateKey, 'RS256'))).rejects.toEqual(refused())
  })

  test.each(['RS256', 'PS256', 'ES256', 'ES384', 'EdDSA'] as const)(
    '%s works with JWK and PEM',
    async (algorithm) => {
      const made = await generateKeyPair(algorithm, { extractable: true })
      const pem = keep(`${algorithm}.pem`, await exportSPKI(made.publicKey), 0o644)
      const jwk = keep(`${algorithm}.json`, await exportJWK(made.publicKey), 0o644)
      for (const key of [pem, jwk]) {
        const check = await createJwtVerifier([{ ...base, algorithm, key }], parts)
        expect((await check(await sign(good(), made.privateKey, algorithm))).subject).toBe('ada')
      }
    },
  )

  test('HS256 works with a secret JWK', async () => {
    const secret = randomBytes(32)
    const key = keep('hs.json', { kty: 'oct', k: secret.toString('base64url') })
    const check = await createJwtVerifier([{ ...base, algorithm: 'HS256', key }], parts)
    expect((await check(await sign(good(), secret, 'HS256'))).subject).toBe('ada')
    await expect(check(await sign(good(), randomBytes(32), 'HS256'))).rejects.toEqual(refused())
  })
})

describe('a static key set', () => {
  test('is looked up by kid', async () => {
    const pairs = await Promise.all([1, 2].map(() => generateKeyPair('ES256', { extractable: true })))
    const keys = await Promise.all(
      pairs.map(async ({ publicKey }, index) => ({ ...(await exportJWK(publicKey)), kid: `k${index}` })),
    )
    const check = await createJwtVerifier(
      [{ ...base, algorithm: 'ES256', key: keep('set.json', { keys }) }],
      parts,
    )
    for (const [index, made] of pairs.entries()) {
      const token = (kid: string) =>
        new SignJWT(good()).setProtectedHeader({ alg: 'ES256', kid }).sign(made.privateKey)
      expect((await check(await token(`k${index}`))).subject).toBe('ada')
      await expect(check(await token(`k${1 - index}`))).rejects.toEqual(refused())
      await expect(check(await token('k9'))).rejects.toEqual(refused())
    }
  })
})

describe('a bad configuration', () => {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const jwk = publicKey.export({ format: 'jwk' })
  const pem = String(publicKey.export({ type: 'spki', format: 'pem' }))
  const oct = { kty: 'oct', k: randomBytes(32).toString('base64url') }
  const file = (content: string | object, mode?: number) => () => ({ key: keep('bad', content, mode) })
  test.each<[string, string, () => Partial<JwtIssuer>, string]>([
    ['a private JWK', 'ES256', file(privateKey.export({ format: 'jwk' })), 'private key'],
    [
      'a private PEM',
      'ES256',
      file(String(privateKey.export({ type: 'pkcs8', format: 'pem' }))),
      'private key',
    ],
    ['a secret for a public algorithm', 'ES256', file(oct), 'not one for ES256'],
    ['a public key for HMAC', 'HS256', file(pem), 'not one for HS256'],
    ['a public JWK for HMAC', 'HS256', file(jwk), 'not one for HS256'],
    ['two secrets', 'HS256', file({ keys: [oct, oct] }), 'only one'],
    ['a short secret', 'HS256', file({ kty: 'oct', k: 'c2hvcnQ' }), 'at least 32 bytes'],
    ['a secret that others may read', 'HS256', file(oct, 0o644), 'chmod 600'],
    ['a key of another kind', 'RS256', file(jwk), 'for RS256'],
    ['an empty set', 'ES256', file({ keys: [] }), 'no key'],
    ['no key at all', 'ES256', file('hello'), 'neither'],
    ['a file that is not there', 'ES256', () => ({ key: join(folder, 'gone') }), 'no such file'],
    ['neither jwks nor key', 'ES256', () => ({}), 'one of jwks and key'],
    ['both', 'ES256', () => ({ jwks: 'https://id.example/jwks', key: '/k' }), 'one of jwks and key'],
    ['a published secret', 'HS256', () => ({ jwks: 'https://id.example/jwks' }), 'not published'],
  ])('with %s is told', async (_what, algorithm, fields, says) => {
    const bad = { ...base, algorithm, ...fields() } as JwtIssuer // the table names algorithms that exist
    await expect(createJwtVerifier([bad], parts)).rejects.toEqual(
      expect.objectContaining({ code: 'bad_config', message: expect.stringContaining(says) }),
    )
  })

  test('with one issuer twice is told', async () => {
    await expect(createJwtVerifier([issuer, issuer], parts)).rejects.toEqual(refused('bad_config'))
  })
})

describe('the authenticator', () => {
  const open = () => createAuthenticator({ clock, secrets: createSecretStore(), verifyJwt: verify })
  const target = { id: 'sess_a', owner: 'ada', labels: {} }

  test('takes a JWT, and its ticket and login end with it', async () => {
    const authenticator = open()
    const token = await sign({ ...good(), sluice: { grants: ['subscribe:own'], agent: 'demo' } })
    const caller = await authenticator.authenticate({ authorization: `Bearer ${token}`, isOpen: false })
    expect(caller).toMatchObject({ subject: 'ada', via: 'jwt', agent: 'demo', expiresAt: nowMs + 60_000 })
    expect(caller.can('subscribe', target)).toBe(true)
    const { ticket } = await authenticator.issueTicket(caller, { session: 'sess_a' })
    const { token: login } = authenticator.issueLogin(caller)
    for (const credentials of [
      { ticket, isOpen: false },
      { authorization: `Bearer ${login}`, isOpen: false },
    ]) {
      const kept = await authenticator.authenticate(credentials)
      expect(kept).toMatchObject({ subject: 'ada', expiresAt: caller.expiresAt })
      expect(kept.can('subscribe', target)).toBe(true)
      expect(kept.can('subscribe', { ...target, id: 'sess_b', owner: 'eve' })).toBe(false)
      expect(authenticator.isCurrent(kept)).toBe(true)
      nowMs += 60_000
      await expect(authenticator.authenticate(credentials)).rejects.toEqual(refused('token_expired'))
      expect(authenticator.isCurrent(kept)).toBe(false)
      nowMs -= 60_000
    }
  })

  test('refuses a JWT whose grants it cannot read, and without issuers every JWT', async () => {
    const token = await sign({ ...good(), sluice: { grants: ['subscribe:own', 'everything'] } })
    const credentials = { authorization: `Bearer ${token}`, isOpen: true }
    await expect(open().authenticate(credentials)).rejects.toEqual(refused())
    const closed = createAuthenticator({ clock, secrets: createSecretStore() })
    await expect(closed.authenticate(credentials)).rejects.toEqual(refused())
  })

  test('makes no login that is longer than the head of a request', async () => {
    const grants = Array.from(
      { length: 100 },
      (_, index) => `subscribe:session:sess_${'a'.repeat(40)}${index}`,
    )
    const token = await sign({ ...good(), sluice: { grants } })
    const authenticator = open()
    const caller = await authenticator.authenticate({ authorization: `Bearer ${token}`, isOpen: false })
    expect(() => authenticator.issueLogin(caller)).toThrow(refused('forbidden'))
    await authenticator.issueTicket(caller, { session: 'sess_a' })
  })
})
