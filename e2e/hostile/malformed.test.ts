import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { expectProblem, parseAnswer } from './expect-problem.ts'
import { exchangeRaw, open, send } from './http-request.ts'
import { openSocket } from './socket.ts'
import { localKey, type StartedGateway, startGateway } from './start-gateway.ts'

const events = 'POST /v1/sessions/sess_broken/events?dialect=stream-event HTTP/1.1\r\nHost: localhost\r\n'
const event = '{"type":"answer_chunk","data":{"content":"x"}}'

describe('what is not HTTP leaves the gateway serving', () => {
  let gateway: StartedGateway
  let failuresBefore: number
  const sockets: Socket[] = []
  beforeAll(async () => {
    gateway = await startGateway({ limits: { headTimeoutMs: 300, bodyIdleMs: 300 } })
  })
  beforeEach(() => {
    failuresBefore = gateway.failures.length
  })
  afterEach(async () => {
    for (const socket of sockets.splice(0)) socket.destroy()
    expect((await send(gateway.port, { path: '/healthz' })).json).toEqual({ status: 'ok' })
    expect(gateway.failures.slice(failuresBefore)).toEqual([])
  })
  afterAll(() => gateway.close())

  function dial(): Socket {
    const socket = connect(gateway.port, '127.0.0.1')
    socket.on('error', () => {})
    sockets.push(socket)
    return socket
  }

  const malformed: Readonly<Record<string, string>> = {
    'no HTTP at all': '\0\x01\x02\x03\r\n\r\n',
    'the beginning of TLS': '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03',
    'the beginning of HTTP/2': 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
    'a version that there is not': 'GET /healthz HTTP/9.9\r\nHost: localhost\r\n\r\n',
    'a method that there is not': 'BREW /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n',
    'a header without a name': 'GET /healthz HTTP/1.1\r\nHost: localhost\r\n: x\r\n\r\n',
    'a header with a bare line feed': 'GET /healthz HTTP/1.1\r\nHost: localhost\r\nX: a\n b: c\r\n\r\n',
    'a NUL in a header': 'GET /healthz HTTP/1.1\r\nHost: localhost\r\nX: \0\r\n\r\n',
    'a folded header': 'GET /healthz HTTP/1.1\r\nHost: localhost\r\nX: a\r\n\tb\r\n\r\n',
    'a length that is no number': `${events}Content-Length: ten\r\n\r\n`,
    'a negative length': `${events}Content-Length: -1\r\n\r\n`,
    'two lengths': `${events}Content-Length: 5\r\nContent-Length: 6\r\n\r\nhello`,
    'a length and chunks': `${events}Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
    'chunks that are not last': `${events}Transfer-Encoding: chunked, gzip\r\n\r\n0\r\n\r\n`,
    'a chunk size that is no number': `${events}Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n{}\r\n`,
    'an empty Host': 'GET /v1/sessions HTTP/1.1\r\nHost:\r\nConnection: close\r\n\r\n',
    'no Host': 'GET /healthz HTTP/1.1\r\n\r\n',
    'two Hosts':
      'GET /healthz HTTP/1.1\r\nHost: localhost\r\nHost: evil.example\r\nConnection: close\r\n\r\n',
    'a space in the address': 'GET /a b HTTP/1.1\r\nHost: localhost\r\n\r\n',
    'a broken escape in the address':
      'GET /v1/sessions/%zz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n',
    'an escape that is no UTF-8':
      'GET /v1/sessions/%ff%fe HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n',
  }
  test.each(Object.entries(malformed))('%s', async (_name, bytes) => {
    const answer = await exchangeRaw(gateway.port, Buffer.from(bytes, 'latin1'))
    // Either there is no answer, or it reports the error: never 2xx, never a failure of ours.
    if (answer !== '') expect(parseAnswer(answer).status).toSatisfy((status) => status >= 400 && status < 500)
  })

  test('what came behind a refused request is not taken for another one', async () => {
    const smuggled = 'DELETE /v1/sessions/sess_broken HTTP/1.1\r\nHost: localhost\r\n\r\n'
    const head = `${events}Content-Type: text/plain\r\nContent-Length: ${smuggled.length}\r\n\r\n`
    const answer = await exchangeRaw(
      gateway.port,
      `${head}${smuggled}GET /nothing HTTP/1.0\r\nHost: localhost\r\n\r\n`,
    )
    expectProblem(
      parseAnswer(answer.split('HTTP/1.1').slice(0, 2).join('HTTP/1.1')),
      'unsupported_media_type',
    )
    expect(answer).not.toContain('unknown_session')
  })

  test('requests one behind the other on one connection are answered in order', async () => {
    const get = (path: string, more = '') => `GET ${path} HTTP/1.1\r\nHost: localhost\r\n${more}\r\n`
    const bytes = `${get('/healthz')}${get('/nothing')}${get('/readyz', 'Connection: close\r\n')}`
    const answer = await exchangeRaw(gateway.port, bytes)
    expect(answer.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 200', 'HTTP/1.1 404', 'HTTP/1.1 200'])
  })

  describe('streams one behind the other on one connection', () => {
    const stream = (session: string) =>
      `GET /v1/sessions/${session}/events?dialect=stream-event HTTP/1.1\r\nHost: localhost\r\nAccept: text/event-stream\r\n\r\n`
    const post = (path: string, body: object) =>
      send(gateway.port, { method: 'POST', path: `/v1/sessions/${path}`, body, key: localKey })
    const say = (session: string, text: string) =>
      post(`${session}/events?dialect=stream-event`, { type: 'answer_chunk', data: { content: text } })

    async function openBoth(first: string, second: string): Promise<{ socket: Socket; text: () => string }> {
      for (const session of [first, second]) await say(session, `${session} begins;`)
      const socket = dial()
      let text = ''
      socket.on('data', (chunk: Buffer) => {
        text += chunk.toString()
      })
      socket.write(stream(first) + stream(second))
      await expect.poll(() => text).toContain(`${first} begins;`)
      return { socket, text: () => text }
    }

    test('do not mix', async () => {
      const { text } = await openBoth('sess_first', 'sess_second')
      for (let index = 0; index < 20; index += 1) {
        await say('sess_second', `of the second ${index};`)
        await say('sess_first', `of the first ${index};`)
        await expect.poll(text, { interval: 2 }).toContain(`of the first ${index};`)
      }
      expect(text()).not.toContain('second')
      await post('sess_first/end', {})
      await expect.poll(text).toContain('of the second 19;')
      await say('sess_second', 'live;')
      await expect.poll(text).toContain('live;')
      await post('sess_second/end', {})
      await expect.poll(() => text().match(/event: sluice\.end/g)?.length).toBe(2)
      const [, first = '', second = ''] = text().split('HTTP/1.1 200 OK')
      for (const [name, answer] of Object.entries({ first, second })) {
        const found = [...answer.matchAll(/of the (\w+) (\d+);/g)]
        expect(found.map(([, of]) => of)).toEqual(Array(20).fill(name))
        expect(found.map(([, , index]) => Number(index))).toEqual(
          Array.from({ length: 20 }, (_, index) => index),
        )
      }
    })

    test('are not left hanging when one that waits for its turn is broken off', async () => {
      const { socket } = await openBoth('sess_ends', 'sess_removed')
      await send(gateway.port, { method: 'DELETE', path: '/v1/sessions/sess_removed', key: localKey })
      await post('sess_ends/end', {})
      await expect.poll(() => socket.closed).toBe(true)
    })
  })

  test('sockets that say nothing or half of something are closed in time', async () => {
    const opened = ['', 'G', 'GET /healthz HT', 'GET /healthz HTTP/1.1\r\nHost: loc'].map((bytes) => {
      const socket = dial()
      socket.resume()
      if (bytes !== '') socket.write(bytes)
      return once(socket, 'close')
    })
    await Promise.all(opened)
  })

  test('a head that drips in byte by byte is closed in time', async () => {
    const socket = dial()
    socket.resume()
    await once(socket, 'connect')
    const bytes = 'GET /healthz HTTP/1.1\r\nHost: localhost\r\n'.repeat(100)
    let place = 0
    const drip = setInterval(() => socket.write(bytes[place++] ?? 'x'), 20)
    await once(socket, 'close')
    clearInterval(drip)
  })

  test('half-open sockets: a sender that ends its side still gets its answer', async () => {
    const socket = connect({ port: gateway.port, host: '127.0.0.1', allowHalfOpen: true })
    const body = `${events}Content-Type: application/json\r\nContent-Length: ${event.length}\r\n\r\n${event}`
    socket.end(body)
    const [answer] = (await once(socket, 'data')) as [Buffer]
    expect(String(answer)).toMatch(/^HTTP\/1\.1 200 /)
    socket.destroy()
  })

  test('readers and writers that vanish in the middle leave nothing behind', async () => {
    const head = `${events}Content-Type: application/x-ndjson\r\nTransfer-Encoding: chunked\r\n\r\n`
    const line = `${event}\n`
    const stream = { path: '/v1/sessions/sess_broken/events', headers: { accept: 'text/event-stream' } }
    await send(gateway.port, {
      method: 'POST',
      path: '/v1/sessions/sess_broken/events?dialect=stream-event',
      headers: { 'content-type': 'application/json' },
      body: event,
    })
    const before = await readMetric('sluice_subscribers')
    for (let round = 0; round < 20; round += 1) {
      const writer = dial()
      writer.write(`${head}${line.length.toString(16)}\r\n${line}\r\n30\r\n{"type":"answer_`)
      const reader = await open(gateway.port, stream)
      reader.on('error', () => {})
      const half = dial()
      half.write(`${events}Content-Type: application/json\r\nContent-Length: 1000\r\n\r\n{`)
      await once(half, 'connect')
      for (const socket of [writer, half]) socket.resetAndDestroy()
      reader.destroy()
    }
    await expect.poll(() => readMetric('sluice_subscribers')).toEqual(before)
    const { json } = await send(gateway.port, { path: '/v1/sessions/sess_broken' })
    expect(json).toMatchObject({ session: { state: 'open' } })
  })

  test('a WebSocket that breaks its protocol is closed alone', async () => {
    const control = await openSocket(gateway.port)
    const upgrade =
      'GET /v1/ws HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n' +
      'Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Protocol: sluice.v1\r\n\r\n'
    const broken = {
      'a frame that is not masked': '\x81\x02{}',
      'an opcode that there is not': '\x83\x80\0\0\0\0',
      'text that is no UTF-8': '\x81\x82\0\0\0\0\xff\xfe',
      'a length beyond all bounds': '\x81\xff\x7f\xff\xff\xff\xff\xff\xff\xff\0\0\0\0',
      'a fragment of nothing': '\x80\x80\0\0\0\0',
      'a control frame in pieces': '\x09\x80\0\0\0\0',
    }
    for (const [name, bytes] of Object.entries(broken)) {
      const answer = await exchangeRaw(gateway.port, Buffer.from(upgrade + bytes, 'latin1'))
      expect.soft(answer, name).toMatch(/^HTTP\/1\.1 101 /)
    }
    const refusals = {
      'no key': upgrade.replace(/Sec-WebSocket-Key.*\r\n/, ''),
      'a version that there is not': upgrade.replace('Version: 13', 'Version: 7'),
      'another address': upgrade.replace('/v1/ws', '/v1/sessions'),
      'another protocol': upgrade.replace('Upgrade: websocket', 'Upgrade: h2c'),
      'another method': upgrade.replace('GET', 'POST'),
    }
    for (const [name, bytes] of Object.entries(refusals)) {
      const answer = await exchangeRaw(gateway.port, bytes)
      expect.soft(parseAnswer(answer).status, name).toSatisfy((status) => status >= 400 && status < 500)
    }
    expect(await control.ask({ type: 'ping', ref: 'alive' })).toEqual({ type: 'pong', ref: 'alive' })
    control.close()
  })

  async function readMetric(name: string): Promise<readonly string[]> {
    const { text } = await send(gateway.port, { path: '/metrics' })
    return text.split('\n').filter((line) => line.startsWith(name))
  }
})
