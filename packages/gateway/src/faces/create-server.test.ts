import { createMemoryLog } from '@sluice/log'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { createFaultyLog, type FaultyLog } from '../testing/faulty-log.ts'
import { openRawRequest } from '../testing/raw-request.ts'
import { chunk } from '../testing/sample-lines.ts'
import { readEvents, readJson, type StartedGateway, startGateway } from '../testing/start-gateway.ts'
import { until } from '../testing/until.ts'

const page = 'https://front.example'
let gateway: StartedGateway
let log: FaultyLog

beforeEach(async () => {
  log = createFaultyLog(createMemoryLog())
  gateway = await startGateway({ log, config: { origins: [page] }, limits: { headBytes: 4096 } })
})
afterEach(() => gateway.close())

const codeOf = async (path: string, init: RequestInit = {}) => {
  const response = await gateway.request(path, init)
  expect(response.headers.get('content-type')).toContain('application/problem+json')
  const problem = await readJson(response)
  expect(problem).toMatchObject({ status: response.status, type: `urn:sluice:error:${problem['code']}` })
  return problem['code']
}
const say = (...texts: readonly string[]) =>
  gateway.publish('sess_a', texts.map(chunk), '?dialect=stream-event')

test('what is not there, and what is there under another method, are told apart', async () => {
  expect(await codeOf('/nowhere')).toBe('unknown_route')
  expect(await codeOf('/v1/sessions/sess_a/nothing')).toBe('unknown_route')
  expect(await codeOf('/v1/sessions/sess_a/events', { method: 'DELETE' })).toBe('method_not_allowed')
  expect(await codeOf('/v1/sessions', { method: 'PUT' })).toBe('method_not_allowed')
  expect(await codeOf('/healthz', { method: 'POST' })).toBe('method_not_allowed')
  expect(await codeOf('/v1/sessions/%ZZ')).toBe('bad_request')
  expect(await codeOf('/v1/sessions/sess_none')).toBe('unknown_session')
  expect(await codeOf('/schemas/aaep/nothing.json')).toBe('unknown_schema')
})

test('the address of the WebSocket asks for an upgrade', async () => {
  expect(await codeOf('/v1/ws')).toBe('upgrade_required')
})

test('every answer has an id of its request', async () => {
  const ids = new Set<string | null>()
  for (const path of ['/healthz', '/nowhere', '/v1/sessions']) {
    const response = await gateway.request(path)
    ids.add(response.headers.get('sluice-request-id'))
    await response.text()
  }
  expect(ids.size).toBe(3)
  for (const id of ids) expect(id).toMatch(/^req_[\w-]{12,}$/)
})

describe('pages of other origins', () => {
  const from = (origin: string, more: RequestInit = {}) =>
    gateway.request('/v1/sessions', { ...more, headers: { origin, ...more.headers } })

  test('may read answers when they are listed, refusals and streams too', async () => {
    const listed = await from(page)
    expect(listed.headers.get('access-control-allow-origin')).toBe(page)
    expect(listed.headers.get('vary')).toContain('Origin')
    const refused = await from(page, { headers: { authorization: 'Bearer wrong' } })
    expect(refused.status).toBe(401)
    expect(refused.headers.get('www-authenticate')).toContain('Bearer')
    expect(refused.headers.get('access-control-allow-origin')).toBe(page)
    await say('a')
    const stream = await gateway.request('/v1/sessions/sess_a/events', {
      headers: { origin: page, accept: 'text/event-stream' },
    })
    expect(stream.headers.get('access-control-allow-origin')).toBe(page)
    expect(stream.headers.get('access-control-expose-headers')).toContain('Sluice-Cursor')
    await stream.body?.cancel()
  })

  test('may ask beforehand', async () => {
    const answer = await from(page, {
      method: 'OPTIONS',
      headers: { 'access-control-request-method': 'POST' },
    })
    expect(answer.status).toBe(204)
    expect(answer.headers.get('access-control-allow-methods')).toContain('POST')
    expect(answer.headers.get('access-control-allow-headers')).toContain('Sluice-Producer')
  })

  test('neither read nor write when they are not listed', async () => {
    const strange = await from('https://evil.example')
    expect(strange.headers.get('access-control-allow-origin')).toBeNull()
    expect(await readJson(strange)).toMatchObject({ status: 403, code: 'origin_refused' })
    const written = await from('https://evil.example', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{}',
    })
    expect(await readJson(written)).toMatchObject({ status: 403, code: 'origin_refused' })
  })

  test('cannot reach the gateway under another name', async () => {
    const heads = ['GET /healthz', `OPTIONS /v1/sessions HTTP/1.1\r\nOrigin: ${page}\r\nX:`]
    for (const head of heads) {
      const raw = await openRawRequest(
        gateway.port,
        `${head} HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n`,
      )
      expect(await raw.answer('"code"')).toContain('origin_refused')
      raw.close()
    }
  })
})

describe('gzip', () => {
  const ask = (path: string, encoding: string) =>
    gateway.request(path, { headers: { 'accept-encoding': encoding } })

  test('is used for large answers that accept it', async () => {
    const response = await ask('/openapi.json', 'gzip')
    expect(response.headers.get('content-encoding')).toBe('gzip')
    expect(response.headers.get('vary')).toContain('Accept-Encoding')
    expect(await readJson(response)).toHaveProperty('openapi')
    expect((await ask('/openapi.json', 'identity')).headers.get('content-encoding')).toBeNull()
    expect((await ask('/healthz', 'gzip')).headers.get('content-encoding')).toBeNull()
  })

  test('is never used for streams', async () => {
    await say('x'.repeat(5000))
    const stream = await gateway.request('/v1/sessions/sess_a/events?live=false', {
      headers: { accept: 'text/event-stream', 'accept-encoding': 'gzip' },
    })
    expect(stream.headers.get('content-encoding')).toBeNull()
    await stream.text()
  })
})

describe('limits', () => {
  test('hold for the head of a request', async () => {
    const raw = await openRawRequest(
      gateway.port,
      `GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Long: ${'x'.repeat(9000)}\r\n\r\n`,
    )
    expect(await raw.answer('"code"')).toContain('headers_too_large')
    raw.close()
  })

  test('hold for what is no HTTP', async () => {
    const raw = await openRawRequest(gateway.port, 'HELLO\r\n\r\n')
    expect(await raw.answer('"code"')).toContain('HTTP/1.1 400')
    raw.close()
  })

  test('hold for requests a second, with the time to wait', async () => {
    const other = await startGateway({ limits: { requestsPerSecond: 2 } })
    const answers = await Promise.all(Array.from({ length: 20 }, () => other.request('/v1/sessions')))
    const refused = answers.filter(({ status }) => status === 429)
    expect(refused.length).toBeGreaterThan(0)
    expect(refused[0]?.headers.get('retry-after')).toMatch(/^\d+$/)
    other.clock.advance(60_000)
    expect((await other.request('/v1/sessions')).status).toBe(200)
    await other.close()
  })

  test('hold for open streams, and are free again when they close', async () => {
    const other = await startGateway({ limits: { connectionsPerSubject: 2 } })
    await other.publish('sess_a', [chunk('a')], '?dialect=stream-event')
    const open = () =>
      other.request('/v1/sessions/sess_a/events', { headers: { accept: 'text/event-stream' } })
    const readers = [readEvents(await open()), readEvents(await open())]
    expect((await open()).status).toBe(429)
    for (const reader of readers) await reader.close()
    let status = 429
    for (let tries = 0; tries < 500 && status === 429; tries++) {
      const response = await other.request('/v1/sessions')
      status = response.status
      await response.text()
    }
    expect(status).toBe(200)
    await other.close()
  })

  test('do not count those who left before it was known who they are', async () => {
    let isAsked = false
    let proceed = (): void => {}
    const known = new Promise<void>((resolve) => {
      proceed = resolve
    })
    const other = await startGateway({
      limits: { connectionsPerSubject: 1 },
      guard: (authenticator) => ({
        ...authenticator,
        async authenticate(credentials) {
          const caller = await authenticator.authenticate(credentials)
          isAsked = true
          await known
          return caller
        },
      }),
    })
    const raw = await openRawRequest(other.port, 'GET /v1/sessions HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n')
    await until(() => isAsked)
    raw.close()
    for (let turns = 0; turns < 50; turns++) await new Promise((run) => setImmediate(run))
    proceed()
    for (let tries = 0; tries < 3; tries++) expect((await other.request('/v1/sessions')).status).toBe(200)
    await other.close()
  })

  test('hold for what waits to be stored', async () => {
    const slow = createFaultyLog(createMemoryLog())
    const other = await startGateway({ log: slow, limits: { pendingBytes: 100 } })
    const release = slow.hold()
    const first = other.publish('sess_a', [chunk('x'.repeat(200))], '?dialect=stream-event')
    let second = await other.post('/v1/sessions/sess_b/events?dialect=stream-event', chunk('y'.repeat(200)))
    for (let tries = 0; tries < 50 && second.status !== 503; tries++)
      second = await other.post('/v1/sessions/sess_b/events?dialect=stream-event', chunk('y'.repeat(200)))
    expect(await readJson(second)).toMatchObject({ code: 'overloaded', retryable: true })
    release()
    expect((await first).body).toMatchObject({ accepted: 1 })
    await other.close()
  })
})

describe('access', () => {
  const post = (path: string, body: object, headers: Record<string, string> = {}) =>
    gateway.request(path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
    })

  test('by ticket reads one session in one dialect and nothing else', async () => {
    await say('a')
    await gateway.publish('sess_b', [chunk('b')], '?dialect=stream-event')
    const issued = await gateway.post('/v1/tickets', { session: 'sess_a', dialect: 'stream-event' })
    const { ticket, expiresAt } = await readJson(issued)
    expect(expiresAt).toBeGreaterThan(gateway.clock.now())
    const read = async (path: string) => (await gateway.request(`${path}ticket=${String(ticket)}`)).status
    expect(await read('/v1/sessions/sess_a/events?')).toBe(200)
    expect(await read('/v1/sessions/sess_a/events?dialect=stream-event&')).toBe(200)
    expect(await read('/v1/sessions/sess_a/events?dialect=aaep&')).toBe(403)
    expect(await read('/v1/sessions/sess_b/events?')).toBe(404)
    gateway.clock.advance(25 * 3_600_000)
    expect(await read('/v1/sessions/sess_a/events?')).toBe(401)
    expect((await gateway.post('/v1/tickets', { session: 'sess_none' })).status).toBe(404)
    expect((await gateway.post('/v1/tickets', {})).status).toBe(400)
  })

  test('by login has a token that stands for the key until it is ended', async () => {
    expect((await post('/v1/login', { token: 'wrong' })).status).toBe(401)
    expect((await post('/v1/login', {})).status).toBe(401)
    const login = await post('/v1/login', { token: gateway.key })
    expect(login.headers.getSetCookie()).toEqual([])
    const { token, expiresAt } = await readJson(login)
    expect(expiresAt).toBe(gateway.clock.now() + 12 * 3_600_000)
    await say('a')
    const headers = { authorization: `Bearer ${token}` }
    expect((await post('/v1/sessions/sess_a/cancel', {}, headers)).status).toBe(202)
    expect((await post('/v1/login', {}, headers)).status).toBe(401)
    expect((await gateway.request('/v1/login', { method: 'DELETE', headers })).status).toBe(204)
    expect((await post('/v1/sessions/sess_a/cancel', {}, headers)).status).toBe(401)
    expect((await gateway.request('/v1/login', { method: 'DELETE', headers })).status).toBe(401)
  })

  test('that was ended resets the streams that it opened', async () => {
    await say('a')
    const { token } = await readJson(await post('/v1/login', { token: gateway.key }))
    const headers = { authorization: `Bearer ${token}` }
    const reader = readEvents(
      await gateway.request('/v1/sessions/sess_a/events', {
        headers: { ...headers, accept: 'text/event-stream' },
      }),
    )
    await reader.next()
    await gateway.request('/v1/login', { method: 'DELETE', headers })
    const cut = expect(reader.rest()).rejects.toThrow()
    gateway.clock.advance(60_000)
    await cut
  })

  test('is not by cookie, of whatever name', async () => {
    const { token } = await readJson(await post('/v1/login', { token: gateway.key }))
    for (const cookie of [`sluice=${token}`, `__Host-sluice=${token}`, `token=${gateway.key}`])
      expect(await readJson(await gateway.request('/v1/login', { headers: { cookie } }))).toMatchObject({
        via: 'anonymous',
      })
  })
})

test('readyz follows the log, healthz does not', async () => {
  expect((await gateway.request('/readyz')).status).toBe(200)
  const broken = await startGateway({
    log: {
      ...createMemoryLog(),
      health: () => ({ writable: false, code: 'storage_full' }),
    },
  })
  const ready = await broken.request('/readyz')
  expect([ready.status, await readJson(ready)]).toEqual([503, { status: 'unready', reason: 'storage_full' }])
  expect((await broken.request('/healthz')).status).toBe(200)
  await broken.close()
})

test('metrics and schemas are served', async () => {
  await say('a')
  expect(await (await gateway.request('/metrics')).text()).toContain('sluice_')
  const { schemas } = await readJson(await gateway.request('/schemas'))
  for (const path of schemas as readonly string[])
    expect((await gateway.request(path)).headers.get('content-type')).toContain('application/schema+json')
})
