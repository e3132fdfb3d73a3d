import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { findChromium, launchChromium } from '../testing/chromium.ts'
import { serveBlankPage } from './blank-page.ts'
import { expectProblem } from './expect-problem.ts'
import { type Answered, type Asked, send } from './http-request.ts'
import { openSocket } from './socket.ts'
import { localKey, type StartedGateway, startGateway } from './start-gateway.ts'

const app = 'https://app.example.org'
const event = { type: 'answer_chunk', data: { content: 'x' } }
const publish: Asked = {
  method: 'POST',
  path: '/v1/sessions/sess_o/events?dialect=stream-event',
  body: event,
  key: localKey,
}
const chromium = findChromium()

describe('other pages', () => {
  let gateway: StartedGateway
  let opened: StartedGateway
  beforeAll(async () => {
    gateway = await startGateway()
    opened = await startGateway({ origins: [app], hosts: ['sluice.example.org', 'other.example.org:8443'] })
    for (const { port } of [gateway, opened]) expect((await send(port, publish)).status).toBe(200)
  })
  afterEach(async () => {
    for (const { port, failures } of [gateway, opened]) {
      expect((await send(port, { path: '/v1/sessions/sess_o', key: localKey })).json).toMatchObject({
        cursor: '0',
      })
      expect(failures).toEqual([])
    }
  })
  afterAll(async () => {
    await gateway.close()
    await opened.close()
  })

  const withHeaders = (asked: Asked, headers: Record<string, string>): Asked => ({
    ...asked,
    headers: { 'content-type': 'application/json', ...headers },
  })

  describe('under a name that is not the gateway’s (DNS rebinding)', () => {
    const foreign = [
      'evil.example',
      '127.0.0.1.nip.io',
      'localhost.evil.example',
      '169.254.0.1',
      '2130706433',
      'a b',
    ]
    test.each(foreign)('%j is refused for reads, writes and WebSockets', async (host) => {
      for (const path of ['/v1/sessions', '/v1/sessions/sess_o/events', '/healthz', '/metrics', '/nothing'])
        expectProblem(await send(gateway.port, { path, headers: { host } }), 'origin_refused')
      expectProblem(await send(gateway.port, withHeaders(publish, { host })), 'origin_refused')
      await expect(openSocket(gateway.port, { headers: { host } })).rejects.toThrow('403')
      // A credential does not help: the browser of an authorized person would send it.
      expectProblem(
        await send(gateway.port, { path: '/v1/sessions', key: localKey, headers: { host } }),
        'origin_refused',
      )
    })

    test.each(['localhost', 'LOCALHOST:4747', '127.0.0.1:1', '[::1]:4747', 'localhost.'])(
      '%j passes',
      async (host) => {
        expect((await send(gateway.port, { path: '/v1/sessions', headers: { host } })).status).toBe(200)
      },
    )

    test('names of the configuration pass, with their port where they have one', async () => {
      const read = async (host: string) =>
        (await send(opened.port, { path: '/v1/sessions', key: localKey, headers: { host } })).status
      expect(await read('sluice.example.org')).toBe(200)
      expect(await read('sluice.example.org:9999')).toBe(200)
      expect(await read('other.example.org:8443')).toBe(200)
      expect(await read('other.example.org')).toBe(403)
    })
  })

  describe('on another origin', () => {
    const foreign = [
      'https://evil.example',
      'null',
      'http://localhost:1',
      'file://',
      'https://app.example.org.evil.example',
      'x',
    ]
    test.each(foreign)('%j neither writes nor opens a WebSocket', async (origin) => {
      const path = '/v1/sessions/sess_o'
      const writes: readonly Asked[] = [
        publish,
        { method: 'POST', path: '/v1/sessions', body: {} },
        { method: 'POST', path: `${path}/end`, body: {} },
        { method: 'POST', path: `${path}/answers`, body: { token: 't', decision: 'accept' } },
        { method: 'POST', path: '/v1/tickets', body: { session: 'sess_o' } },
        { method: 'POST', path: '/v1/login', body: { token: localKey } },
        { method: 'DELETE', path },
      ]
      for (const { port } of [gateway, opened]) {
        for (const write of writes)
          expectProblem(
            await send(port, { ...withHeaders(write, { origin }), key: localKey }),
            'origin_refused',
          )
        await expect(openSocket(port, { headers: { origin }, key: localKey })).rejects.toThrow('403')
      }
    })

    test.each(foreign)('%j does not read, and its page is not shown the refusal', async (origin) => {
      for (const path of ['/v1/sessions', '/v1/sessions/sess_o', '/v1/sessions/sess_none', '/nothing']) {
        const answer = await send(gateway.port, { path, key: localKey, headers: { origin } })
        expectProblem(answer, 'origin_refused')
        expect(corsOf(answer)).toEqual({})
        expect(answer.headers['vary']).toContain('Origin')
      }
    })

    test('gets no preflight answered', async () => {
      const headers = { origin: 'https://evil.example', 'access-control-request-method': 'POST' }
      for (const { port } of [gateway, opened])
        expect(corsOf(await send(port, { method: 'OPTIONS', path: '/v1/sessions', headers }))).toEqual({})
    })

    test('sends no form: a body must say that it is JSON', async () => {
      for (const type of [
        'text/plain',
        'application/x-www-form-urlencoded',
        'multipart/form-data; boundary=x',
      ])
        expectProblem(
          await send(gateway.port, {
            ...publish,
            headers: { 'content-type': type },
            body: JSON.stringify(event),
          }),
          'unsupported_media_type',
        )
    })
  })

  describe('on an origin of the configuration', () => {
    test('read every answer, refusals and streams too', async () => {
      const headers = { origin: app }
      const reads: readonly Asked[] = [
        { path: '/v1/sessions', headers },
        { path: '/v1/sessions/sess_o/events', headers: { ...headers, accept: 'text/event-stream' } },
        { path: '/v1/sessions?live=true', headers: { ...headers, accept: 'text/event-stream' } },
        { path: '/v1/sessions/sess_none', headers },
        { path: '/v1/sessions/sess_o', headers, key: 'sluice_wrong' },
        { path: '/nothing', headers, key: localKey },
        { method: 'DELETE', path: '/v1/sessions/sess_o', headers },
      ]
      for (const asked of reads) {
        const cors = corsOf(await send(opened.port, asked))
        expect.soft(cors, asked.path).toMatchObject({ 'access-control-allow-origin': app })
        expect.soft(cors['access-control-expose-headers'], asked.path).toMatch(/sluice-cursor/i)
      }
    })

    test('may send what the preflight asks for', async () => {
      const answer = await send(opened.port, {
        method: 'OPTIONS',
        path: '/v1/sessions/sess_o/events',
        headers: {
          origin: app,
          'access-control-request-method': 'POST',
          'access-control-request-headers': 'authorization,content-type,sluice-producer,last-event-id',
        },
      })
      expect(answer.status).toBe(204)
      const cors = corsOf(answer)
      expect(cors).toMatchObject({ 'access-control-allow-origin': app })
      for (const name of ['authorization', 'content-type', 'sluice-producer', 'last-event-id'])
        expect(cors['access-control-allow-headers']?.toLowerCase()).toContain(name)
    })

    test('write and open WebSockets', async () => {
      const duplicate = {
        ...withHeaders({ ...publish, path: publish.path.replace('sess_o', 'sess_p') }, { origin: app }),
      }
      expect((await send(opened.port, duplicate)).json).toMatchObject({ accepted: 1 })
      const socket = await openSocket(opened.port, { headers: { origin: app }, key: localKey })
      expect(await socket.ask({ type: 'ping', ref: 'p' })).toMatchObject({ type: 'pong' })
      socket.close()
    })
  })

  test.skipIf(chromium === undefined)(
    'a real browser lets in pages of a listed origin, and no others',
    async () => {
      // Another port of this machine is another origin.
      const stranger = await serveBlankPage()
      const listing = await startGateway({ origins: [stranger.url] })
      await send(listing.port, publish)
      const browser = await launchChromium(chromium ?? '')
      try {
        const page = await browser.newPage()
        await page.goto(stranger.url)
        const isKept = 'kept out'
        expect(await page.evaluate(tryEverything(gateway.url))).toEqual({
          read: isKept,
          json: isKept,
          plain: isKept,
          socket: isKept,
          events: isKept,
        })
        expect(await page.evaluate(tryEverything(listing.url))).toEqual({
          read: 200,
          json: 200,
          plain: isKept,
          socket: 'open',
          events: 'read',
        })
        // Requests sent as plain text were not accepted, whatever the page could see of them.
        expect((await send(listing.port, { path: '/v1/sessions/sess_o' })).json).toMatchObject({
          cursor: '1',
        })
      } finally {
        await browser.close()
        await listing.close()
        await stranger.close()
      }
    },
  )
})

/** A script for a page: every way to reach a gateway, and the outcome of each. */
function tryEverything(url: string): string {
  return `(async () => {
    const url = ${JSON.stringify(url)}
    const body = ${JSON.stringify(JSON.stringify(event))}
    const write = url + '/v1/sessions/sess_o/events?dialect=stream-event'
    const outcome = (promise, field) => promise.then((response) => response[field], () => 'kept out')
    const opened = (target, event, word) => new Promise((resolve) => {
      target.addEventListener(event, () => { target.close(); resolve(word) })
      target.addEventListener('error', () => resolve('kept out'))
    })
    const headers = { 'content-type': 'application/json' }
    return {
      read: await outcome(fetch(url + '/v1/sessions'), 'status'),
      json: await outcome(fetch(write, { method: 'POST', body, headers }), 'status'),
      plain: await outcome(fetch(write, { method: 'POST', body, mode: 'no-cors' }), 'type'),
      socket: await opened(new WebSocket(url.replace('http', 'ws') + '/v1/ws', 'sluice.v1'), 'open', 'open'),
      events: await opened(new EventSource(url + '/v1/sessions/sess_o/events'), 'message', 'read'),
    }
  })()`
}

function corsOf({ headers }: Answered): Record<string, string | undefined> {
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      name.startsWith('access-control-') ? [[name, String(value)]] : [],
    ),
  )
}
