import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Clock, SluiceError } from '@sluice/protocol'
import { exportJWK, generateKeyPair, type JWK, SignJWT } from 'jose'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { cooldownMs, dropAfterMs, refreshAfterMs } from './jwks.ts'
import { createJwtVerifier, type JwtVerifier } from './jwt.ts'

type Pair = Awaited<ReturnType<typeof generateKeyPair>>

const name = 'https://id.example'
let nowMs = 0
const clock: Clock = { now: () => nowMs, monotonic: () => nowMs, after: () => ({ clear: () => {} }) }

let server: Server
let published: readonly JWK[] = []
let status = 200
let fetches = 0
let verify: JwtVerifier
let problems: SluiceError[] = []

beforeEach(async () => {
  ;[published, status, fetches, problems] = [[], 200, 0, []]
  nowMs = Date.UTC(2026, 0, 1)
  server = createServer((_request, response) => {
    fetches++
    response.writeHead(status, { 'content-type': 'application/json' })
    response.end(JSON.stringify({ keys: published }))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  verify = await openVerifier(`http://127.0.0.1:${(server.address() as AddressInfo).port}/jwks`)
})
afterEach(() => server.close())

function openVerifier(
  jwks: string,
  { allowPrivate = true }: { readonly allowPrivate?: boolean | undefined } = {},
): Promise<JwtVerifier> {
  const issuer = { issuer: name, audience: 'sluice', algorithm: 'ES256', jwks, allowPrivate } as const
  return createJwtVerifier([issuer], { clock, onProblem: (error) => problems.push(error) })
}

async function makeKey(
  kid: string,
): Promise<{ readonly pair: Pair; readonly jwk: JWK; readonly kid: string }> {
  const pair = await generateKeyPair('ES256', { extractable: true })
  return { pair, kid, jwk: { ...(await exportJWK(pair.publicKey)), kid, alg: 'ES256', use: 'sig' } }
}

function sign({ pair, kid }: { readonly pair: Pair; readonly kid: string }, alg = 'ES256'): Promise<string> {
  const claims = { iss: name, aud: 'sluice', sub: 'ada', exp: Math.floor(nowMs / 1000) + 86_400 }
  return new SignJWT(claims).setProtectedHeader({ alg, kid }).sign(pair.privateKey)
}

const refused = (code = 'unauthenticated') => expect.objectContaining({ code })

describe('published keys', () => {
  test('are fetched once for many tokens', async () => {
    const key = await makeKey('a')
    published = [key.jwk]
    const token = await sign(key)
    const all = await Promise.all(Array.from({ length: 20 }, () => verify(token)))
    expect(all.map(({ subject }) => subject)).toEqual(Array(20).fill('ada'))
    expect(fetches).toBe(1)
  })

  test('rotate by kid', async () => {
    const [first, second] = [await makeKey('a'), await makeKey('b')]
    published = [first.jwk]
    await verify(await sign(first))
    published = [first.jwk, second.jwk]
    nowMs += cooldownMs
    await verify(await sign(second))
    await verify(await sign(first))
    expect(fetches).toBe(2)
    published = [second.jwk]
    nowMs += refreshAfterMs
    await verify(await sign(second))
    await expect.poll(() => fetches).toBe(3)
    await expect.poll(async () => verify(await sign(first)).catch(({ code }) => code)).toBe('unauthenticated')
  })

  test('are not fetched again for made-up key ids', async () => {
    const key = await makeKey('a')
    published = [key.jwk]
    await verify(await sign(key))
    const forged = await Promise.all(
      Array.from({ length: 100 }, (_, index) => sign({ pair: key.pair, kid: `no-${index}` })),
    )
    for (const token of forged) await expect(verify(token)).rejects.toEqual(refused())
    expect(fetches).toBe(1)
    nowMs += cooldownMs
    await Promise.all(forged.map((token) => expect(verify(token)).rejects.toEqual(refused())))
    expect(fetches).toBe(2)
  })

  test('of another key under the same kid do not verify', async () => {
    const [ours, theirs] = [await makeKey('a'), await makeKey('a')]
    published = [ours.jwk]
    await expect(verify(await sign(theirs))).rejects.toEqual(refused())
  })

  test('are used for the algorithm of the issuer alone, also when they name none', async () => {
    const pair = await generateKeyPair('RS256', { extractable: true })
    published = [{ ...(await exportJWK(pair.publicKey)), kid: 'a' }]
    const alg = 'RS256'
    await expect(verify(await sign({ pair, kid: 'a' }, alg))).rejects.toEqual(refused())
    expect(fetches).toBe(0)
  })

  test('that make no sense leave the others usable', async () => {
    const key = await makeKey('a')
    published = [null, 7, { kty: 'EC', kid: 'b', crv: 'none' }, key.jwk] as JWK[] // as an issuer could
    expect((await verify(await sign(key))).subject).toBe('ada')
    await expect(verify(await sign({ ...key, kid: 'b' }))).rejects.toEqual(refused())
  })

  test('are not used when they are secrets or private', async () => {
    const key = await makeKey('a')
    const secret = { kty: 'oct', k: Buffer.alloc(32).toString('base64url'), kid: 'a', alg: 'ES256' }
    published = [secret, { ...key.jwk, ...(await exportJWK(key.pair.privateKey)) }]
    await expect(verify(await sign(key))).rejects.toEqual(refused())
  })
})

describe('an issuer that does not answer', () => {
  test('is asked once in half a minute, and meanwhile nobody is told to be a stranger', async () => {
    const key = await makeKey('a')
    published = [key.jwk]
    status = 500
    for (let round = 0; round < 5; round++)
      await expect(verify(await sign(key))).rejects.toEqual(refused('issuer_unreachable'))
    expect([fetches, problems.length]).toEqual([1, 1])
    status = 200
    nowMs += cooldownMs
    expect((await verify(await sign(key))).subject).toBe('ada')
  })

  test('has its old keys used for an hour, and no longer', async () => {
    const key = await makeKey('a')
    published = [key.jwk]
    await verify(await sign(key))
    status = 500
    nowMs += dropAfterMs - 1
    expect((await verify(await sign(key))).subject).toBe('ada')
    await expect.poll(() => problems.length).toBe(1)
    nowMs += cooldownMs
    await expect(verify(await sign(key))).rejects.toEqual(refused('issuer_unreachable'))
  })

  test.each(['{"keys":7}', '[]', 'no JSON'])('but with %s counts as one that does not', async (text) => {
    server.removeAllListeners('request')
    server.on('request', (_request, response) => response.end(text))
    await expect(verify(await sign(await makeKey('a')))).rejects.toEqual(refused('issuer_unreachable'))
  })
})

test('keys are not fetched from a private address unless that is allowed', async () => {
  const guarded = await openVerifier(`https://127.0.0.1:${(server.address() as AddressInfo).port}/jwks`, {
    allowPrivate: false,
  })
  await expect(guarded(await sign(await makeKey('a')))).rejects.toEqual(refused('issuer_unreachable'))
  expect(fetches).toBe(0)
  expect(problems[0]?.cause).toMatchObject({ code: 'fetch_refused' })
})
