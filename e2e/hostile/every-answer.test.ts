import { createSystemClock, omitUndefined } from '@sluice/protocol'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Answered, type Asked, exchangeRaw, send } from './http-request.ts'
import { openSocket } from './socket.ts'
import { localKey, type StartedGateway, startGateway } from './start-gateway.ts'

const app = 'https://app.example.org'
const event = { type: 'answer_chunk', data: { content: 'x' } }
/** A session that exists and one that does not. */
const sessions = ['sess_there', 'sess_none'] as const

/** The headers of every answer. */
const always = {
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-resource-policy': 'same-origin',
  'x-frame-options': 'DENY',
  'content-security-policy': expect.stringMatching(/^default-src 'none';.*frame-ancestors 'none'$/),
}
/** Answers that may be cached: bytes that never change, and public facts about the gateway. */
const kept: readonly string[] = [
  'GET /assets/:file',
  'GET /.well-known/aaep-manifest.json',
  'GET /.well-known/jwks.json',
]
const pages: readonly string[] = ['GET /', 'GET /sessions/:session', 'GET /conversations/:context']
/** Answered without a credential: they contain nothing about any session. */
const open: readonly string[] = [
  ...pages,
  'GET /favicon.svg',
  'GET /assets/:file',
  'GET /healthz',
  'GET /readyz',
  'GET /openapi.json',
  'GET /schemas',
  'GET /schemas/config.json',
  'GET /schemas/:dialect/:name',
  'GET /.well-known/aaep-manifest.json',
  'GET /.well-known/jwks.json',
]
/** The refusals of a handshake are messages of AAEP. */
const inItsOwnWords: readonly string[] = ['POST /aaep/v1/subscriptions']
const places: Readonly<Record<string, string>> = {
  file: 'index-00000000.js',
  dialect: 'aaep',
  name: 'event.json',
  seq: '0',
}

/** A request to a route with its parameters filled in; an unknown parameter gets the session. */
function toAsked(route: string, session: string): Asked {
  const [method = '', pattern = ''] = route.split(' ')
  const path = pattern.replace(/:(\w+)/g, (_, name: string) => places[name] ?? session)
  return { method, path, ...(method === 'POST' ? { body: {} } : {}) }
}

const withHeaders = (asked: Asked, headers: Record<string, string>): Asked => ({
  ...asked,
  headers: { ...(asked.method === 'POST' ? { 'content-type': 'application/json' } : {}), ...headers },
})

/** An answer without the parts that differ each time. */
function comparable({ status, headers, text }: Answered): object {
  const { date: _date, 'sluice-request-id': _id, ...rest } = headers
  return { status, headers: rest, text }
}

async function publish({ port }: StartedGateway): Promise<void> {
  const path = `/v1/sessions/${sessions[0]}/events?dialect=stream-event`
  const { status } = await send(port, { method: 'POST', path, body: event, key: localKey })
  expect(status).toBe(200)
}

describe('every route', () => {
  let gateway: StartedGateway
  let routes: readonly string[]
  beforeAll(async () => {
    // Each look at the clock advances it, so that the limit on guesses is not reached.
    let now = 0
    const tick = (): number => {
      now += 200
      return now
    }
    gateway = await startGateway({ origins: [app], clock: { ...createSystemClock(), monotonic: tick } })
    await publish(gateway)
    routes = gateway.routes
    expect(routes.length).toBeGreaterThan(40)
    for (const route of [...kept, ...open]) expect(routes).toContain(route)
  })
  afterAll(() => gateway.close())

  test('says in every answer what may be done with it', async () => {
    for (const route of routes)
      for (const session of sessions)
        for (const key of [localKey, undefined, 'sluice_wrong']) {
          const asked = toAsked(route, session)
          // With this key the request could end or delete the session.
          if (key === localKey && session === 'sess_there' && asked.method !== 'GET') continue
          const answer = await send(gateway.port, { ...asked, ...omitUndefined({ key }) })
          expect.soft(answer.headers, route).toMatchObject(always)
          const isKept = kept.includes(route) && answer.status === 200
          if (!isKept) expect.soft(answer.headers['cache-control'], route).toMatch(/^no-store\b/)
          expect.soft(answer.headers['strict-transport-security'], route).toBeUndefined()
          expect.soft(answer.headers['set-cookie'], route).toBeUndefined()
        }
  })

  test('says so in streams, preflights and refusals of every kind too', async () => {
    const sse = { accept: 'text/event-stream' }
    const upgrade = {
      connection: 'upgrade',
      upgrade: 'websocket',
      'sec-websocket-version': '13',
      'sec-websocket-key': 'x'.repeat(22),
    }
    const others: readonly Asked[] = [
      { path: '/nothing' },
      { method: 'PUT', path: '/v1/sessions' },
      { path: '/v1/sessions/%zz' },
      { path: `/v1/sessions/${'x'.repeat(3000)}` },
      { path: '/v1/sessions/sess_there/events', headers: sse },
      { path: '/v1/sessions/sess_there/events?live=false', headers: { accept: 'application/x-ndjson' } },
      { path: '/v1/sessions?live=true', headers: sse },
      { path: '/events', headers: sse },
      { method: 'OPTIONS', path: '/v1/sessions', headers: { origin: app } },
      { method: 'OPTIONS', path: '/v1/sessions', headers: { origin: 'https://evil.example' } },
      { path: '/healthz', headers: { host: 'evil.example' } },
      { path: '/healthz', headers: { expect: 'something' } },
      { method: 'POST', path: '/v1/sessions', headers: { 'content-type': 'text/plain' }, body: 'x' },
      { path: '/v1/ws', headers: { ...upgrade, authorization: 'Bearer wrong' } },
      { path: '/v1/ws', headers: { ...upgrade, host: 'evil.example' } },
      { path: '/nothing', headers: upgrade },
    ]
    const all = others.map((asked) => send(gateway.port, asked))
    for (const [index, answer] of (await Promise.all(all)).entries()) {
      const { method = 'GET', path } = others[index] ?? { path: '' }
      expect.soft(answer.headers, `${method} ${path}`).toMatchObject(always)
      expect.soft(answer.headers['cache-control'], `${method} ${path}`).toMatch(/^no-store\b/)
    }
    for (const bytes of [
      'HELLO\r\n\r\n',
      'GET / HTTP/1.1\r\nConnection: close\r\n\r\n',
      `GET / HTTP/1.1\r\nHost: localhost\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`,
    ]) {
      const answer = (await exchangeRaw(gateway.port, bytes)).toLowerCase()
      for (const line of ['x-content-type-options: nosniff', 'cache-control: no-store'])
        expect.soft(answer, bytes.slice(0, 20)).toContain(line)
    }
  })

  test('gives pages of other sites one answer, whatever they ask for and in whose name', async () => {
    const requests = [
      { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'no-cors', 'sec-fetch-dest': 'image' },
      { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'no-cors', 'sec-fetch-dest': 'script' },
      { 'sec-fetch-site': 'same-site', 'sec-fetch-mode': 'no-cors', 'sec-fetch-dest': 'empty' },
      { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'iframe' },
      { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' },
      { 'sec-fetch-site': 'same-site', 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' },
      { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'cors', origin: 'https://evil.example' },
      { origin: 'http://localhost:1' },
      { origin: 'null' },
    ]
    const refusalOf = async (asked: Asked) =>
      comparable(await send(gateway.port, withHeaders(asked, { origin: 'null' })))
    const usual = await refusalOf({ path: '/nothing' })
    expect(usual).toMatchObject({ status: 403, text: expect.stringContaining('origin_refused') })
    for (const route of routes) {
      const refusal = inItsOwnWords.includes(route) ? await refusalOf(toAsked(route, sessions[0])) : usual
      expect(refusal).toMatchObject({ status: 403 })
      for (const headers of requests)
        for (const session of sessions)
          for (const key of [localKey, undefined]) {
            const asked = withHeaders(toAsked(route, session), headers)
            const answer = await send(gateway.port, { ...asked, ...omitUndefined({ key }) })
            const isLink = headers['sec-fetch-dest'] === 'document' && pages.includes(route)
            if (isLink) expect.soft(answer.status, route).toBe(200)
            else expect.soft(comparable(answer), route).toEqual(refusal)
          }
    }
  }, 60_000)

  test('takes no name that is not its own', async () => {
    for (const route of routes)
      for (const host of ['evil.example', 'localhost.evil.example', 'a b']) {
        const asked = withHeaders(toAsked(route, 'sess_there'), { host })
        const answer = await send(gateway.port, { ...asked, key: localKey })
        expect.soft(answer.status, `${route} ${host}`).toBe(403)
        if (!inItsOwnWords.includes(route))
          expect.soft(answer.json, `${route} ${host}`).toMatchObject({ code: 'origin_refused' })
      }
  })

  test('knows nobody without a credential once a request was passed on', async () => {
    for (const route of routes)
      for (const headers of [{ 'x-forwarded-for': '203.0.113.7' }, { forwarded: 'for=203.0.113.7' }]) {
        const { status } = await send(gateway.port, withHeaders(toAsked(route, 'sess_there'), headers))
        if (open.includes(route)) expect.soft(status, route).not.toBe(401)
        else expect.soft(status, route).toBe(401)
      }
  })
})

describe.each(['/v1/ws', '/aaep/v1/ws'])('the WebSocket at %s', (path) => {
  const protocols = [path === '/v1/ws' ? 'sluice.v1' : 'aaep.v1']
  const open = ({ port }: StartedGateway, headers = {}, key?: string) =>
    openSocket(port, {
      url: `ws://127.0.0.1:${port}${path}`,
      protocols,
      headers,
      ...omitUndefined({ key }),
    })

  test('opens for no page of another site, and under no other name', async () => {
    const gateway = await startGateway()
    for (const headers of [
      { host: 'evil.example' },
      { origin: 'https://evil.example' },
      { origin: 'null' },
      { 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'same-site' },
    ])
      for (const key of [undefined, localKey])
        await expect(open(gateway, headers, key), JSON.stringify(headers)).rejects.toThrow('403')
    const socket = await open(gateway, { origin: gateway.url, 'sec-fetch-site': 'same-origin' })
    socket.close()
    await gateway.close()
  })
})

test('the WebSocket knows nobody without a credential where HTTP does not', async () => {
  const open = await startGateway()
  const named = await startGateway({ hosts: ['sluice.example.org'] })
  const forwarded = { 'x-forwarded-for': '203.0.113.7' }
  await expect(openSocket(open.port, { headers: forwarded })).rejects.toThrow('401')
  await expect(openSocket(named.port)).rejects.toThrow('401')
  for (const socket of [
    await openSocket(open.port),
    await openSocket(open.port, { headers: forwarded, key: localKey }),
    await openSocket(named.port, { key: localKey }),
  ])
    socket.close()
  await open.close()
  await named.close()
})

describe('a gateway on loopback', () => {
  const statusOf = async (
    route: string,
    { port }: StartedGateway,
    {
      headers = {},
      key,
    }: {
      readonly headers?: Readonly<Record<string, string>> | undefined
      readonly key?: string | undefined
    } = {},
  ) =>
    (
      await send(port, {
        ...withHeaders(toAsked(route, 'sess_there'), headers),
        ...omitUndefined({ key }),
      })
    ).status

  test.each([
    ['with a name that other machines use', { hosts: ['sluice.example.org'] }],
    ['with `auth.anonymous: false`', { auth: { jwt: [], anonymous: false } }],
  ])('%s knows nobody without a credential, on any route', async (_, config) => {
    const gateway = await startGateway(config)
    await publish(gateway)
    for (const route of gateway.routes) {
      const status = await statusOf(route, gateway)
      if (open.includes(route)) expect.soft(status, route).not.toBe(401)
      else expect.soft(status, route).toBe(401)
    }
    expect(await statusOf('GET /metrics', gateway, { headers: {}, key: localKey })).toBe(200)
    const reader = gateway.addKey('reader', ['subscribe:*'])
    expect(await statusOf('GET /metrics', gateway, { headers: {}, key: reader })).toBe(403)
    expect(await statusOf('GET /v1/sessions', gateway, { headers: {}, key: reader })).toBe(200)
    await gateway.close()
  })

  test('with `auth.anonymous: true` serves everybody, through a proxy under its own name too', async () => {
    const gateway = await startGateway({
      hosts: ['sluice.example.org'],
      auth: { jwt: [], anonymous: true },
    })
    const headers = { host: 'sluice.example.org', 'x-forwarded-for': '203.0.113.7' }
    for (const route of ['GET /v1/sessions', 'GET /metrics', 'GET /v1/agents'])
      expect(await statusOf(route, gateway, { headers })).toBe(200)
    await gateway.close()
  })
})
