import { connect } from 'node:net'
import { createMemoryLog, type Log } from '@sluice/log'
import { createSystemClock } from '@sluice/protocol'
import { createDrivenClock } from '@sluice/protocol/testing'
import { afterEach, describe, expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { expectProblem, parseAnswer } from './expect-problem.ts'
import { exchangeRaw, open, send } from './http-request.ts'
import { openSocket, type TestSocket } from './socket.ts'
import { type GatewayOverrides, localKey, type StartedGateway, startGateway } from './start-gateway.ts'

const events = '/v1/sessions/sess_limited/events?dialect=stream-event'
const ndjson = { 'content-type': 'application/x-ndjson' }
const json = { 'content-type': 'application/json' }

/** An event whose JSON text has exactly this many bytes. */
function eventOf(bytes: number): string {
  const empty = JSON.stringify({ type: 'answer_chunk', data: { content: '' } })
  return empty.replace('""', `"${'x'.repeat(bytes - empty.length)}"`)
}

/** An event whose objects and arrays nest to this depth. */
function nested(depth: number): string {
  return `{"type":"log","data":${'['.repeat(depth - 1)}${']'.repeat(depth - 1)}}`
}

describe('every limit is refused with its code', () => {
  let gateway: StartedGateway
  afterEach(() => gateway.close())

  async function start(limits: GatewayOverrides['limits'], more: GatewayOverrides = {}): Promise<void> {
    gateway = await startGateway({ ...more, limits: limits ?? {} })
  }

  const publish = (body: string, headers: Record<string, string> = json) =>
    send(gateway.port, { method: 'POST', path: events, headers, body })

  async function expectNothingStored(): Promise<void> {
    expectProblem(await send(gateway.port, { path: '/v1/sessions/sess_limited' }), 'unknown_session')
    await expectServing()
  }

  async function expectServing(): Promise<void> {
    expect((await send(gateway.port, { path: '/healthz' })).status).toBe(200)
    expect(gateway.failures).toEqual([])
  }

  test('one event: to the byte over JSON', async () => {
    await start({ eventBytes: 300 })
    expectProblem(await publish(eventOf(301)), 'event_too_large')
    await expectNothingStored()
    expect((await publish(eventOf(300))).json).toMatchObject({ accepted: 1, refused: [] })
  })

  test('one event: an array with one that is too large is refused whole', async () => {
    await start({ eventBytes: 300 })
    const problem = expectProblem(await publish(`[${eventOf(100)},${eventOf(301)}]`), 'events_refused')
    expect(problem['refused']).toMatchObject([{ line: 2, code: 'event_too_large' }])
    await expectNothingStored()
  })

  test('one event: in NDJSON that line alone is refused', async () => {
    await start({ eventBytes: 300 })
    const { status, json: answer } = await publish(
      [eventOf(100), eventOf(301), eventOf(300), ''].join('\n'),
      ndjson,
    )
    expect(status).toBe(200)
    expect(answer).toMatchObject({
      accepted: 2,
      refused: [{ line: 2, code: 'event_too_large' }],
      cursor: '1',
    })
    await expectServing()
  })

  test('one event: over WebSocket', async () => {
    await start({ eventBytes: 300 })
    const socket = await openSocket(gateway.port)
    const events = [eventOf(301), eventOf(300)].map((text) => JSON.parse(text) as unknown)
    const answer = await socket.ask({
      type: 'publish',
      ref: 'p',
      session: 'sess_limited',
      dialect: 'stream-event',
      events,
    })
    expect(answer).toMatchObject({
      type: 'done',
      accepted: 1,
      refused: [{ line: 1, code: 'event_too_large' }],
    })
    socket.close()
    await expectServing()
  })

  test('one event: a message to the agent', async () => {
    await start({ eventBytes: 300 })
    await publish(eventOf(100))
    const message = { method: 'POST', path: '/v1/sessions/sess_limited/messages', key: localKey }
    const body = { text: 'x'.repeat(1000) }
    expectProblem(await send(gateway.port, { ...message, body }), 'event_too_large')
    expect((await send(gateway.port, { path: '/v1/sessions/sess_limited' })).json).toMatchObject({
      cursor: '0',
    })
    await expectServing()
  })

  test('one JSON body, by its declared length and by what comes', async () => {
    await start({ bodyBytes: 1000 })
    expectProblem(await publish(`[${eventOf(500)},${eventOf(500)}]`), 'body_too_large')
    await expectNothingStored()
    const head = `POST ${events} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n`
    // The rest of the body never arrives, and the answer does not wait for it.
    const chunks = `3e8\r\n${' '.repeat(1000)}\r\n1\r\n \r\n`
    const raw = await exchangeRaw(gateway.port, `${head}Transfer-Encoding: chunked\r\n\r\n${chunks}`)
    expectProblem(parseAnswer(raw), 'body_too_large')
    await expectNothingStored()
  })

  test('one JSON body: NDJSON has no such bound', async () => {
    await start({ bodyBytes: 1000 })
    const lines = `${eventOf(100)}\n`.repeat(50)
    expect((await publish(lines, ndjson)).json).toMatchObject({ accepted: 50 })
  })

  test('one WebSocket message closes the connection with 1009', async () => {
    await start({ bodyBytes: 1000 })
    const socket = await openSocket(gateway.port)
    socket.send({ type: 'ping', ref: 'x'.repeat(70_000) })
    expect(await socket.closed).toBe(1009)
    await expectServing()
  })

  test('nesting: 64 levels pass, 65 are refused', async () => {
    await start({})
    const problem = expectProblem(await publish(nested(65)), 'events_refused')
    expect(problem['refused']).toMatchObject([{ line: 1, code: 'too_deep' }])
    await expectNothingStored()
    expect((await publish(`${nested(65)}\n${nested(64)}\n`, ndjson)).json).toMatchObject({
      accepted: 1,
      refused: [{ line: 1, code: 'too_deep' }],
    })
    // Half a million levels cost neither the stack nor the process.
    expectProblem(await publish('['.repeat(500_000)), 'events_refused')
    await expectServing()
  })

  test('the head of a request by its size', async () => {
    await start({ headBytes: 2048 })
    const raw = await exchangeRaw(
      gateway.port,
      `GET /healthz HTTP/1.1\r\nHost: localhost\r\nX-Large: ${'x'.repeat(4096)}\r\n\r\n`,
    )
    expectProblem(parseAnswer(raw), 'headers_too_large')
    await expectServing()
  })

  test('the head of a request by its time', async () => {
    await start({ headTimeoutMs: 200 })
    const raw = await exchangeRaw(gateway.port, 'GET /healthz HTTP/1.1\r\nHost: loc')
    expectProblem(parseAnswer(raw), 'request_timeout')
    await expectServing()
  })

  test('a JSON body that stands still', async () => {
    await start({ bodyIdleMs: 100 })
    const head = `POST ${events} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n`
    const raw = await exchangeRaw(gateway.port, `${head}Content-Length: 500\r\n\r\n{"type":`)
    expectProblem(parseAnswer(raw), 'request_timeout')
    await expectNothingStored()
  })

  test('an NDJSON body that stands still keeps its complete lines, and a blank line keeps it alive', async () => {
    const driven = createDrivenClock()
    let looks = 0
    const monotonic = (): number => {
      looks += 1
      return driven.monotonic()
    }
    await start({ bodyIdleMs: 12_345 }, { clock: { ...driven, monotonic } })
    const socket = connect(gateway.port, '127.0.0.1')
    let text = ''
    socket.on('data', (data: Buffer) => {
      text += data.toString()
    })
    /** The gateway looks at the clock whenever something arrives, and no timer runs meanwhile. */
    const arrive = async (data: string): Promise<void> => {
      const before = looks
      socket.write(data)
      await expect.poll(() => looks).toBeGreaterThan(before)
    }
    const head = `POST ${events} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/x-ndjson\r\n`
    await arrive(`${head}Transfer-Encoding: chunked\r\n\r\n`)
    for (const line of [`${eventOf(100)}\n`, '\n', '\n', eventOf(120)]) {
      driven.advance(11_000)
      await arrive(`${line.length.toString(16)}\r\n${line}\r\n`)
    }
    driven.advance(11_000)
    expect(text).toBe('')
    driven.advance(2_345)
    await new Promise((resolve) => socket.once('close', resolve))
    const problem = expectProblem(parseAnswer(text), 'request_timeout')
    expect(problem).toMatchObject({ accepted: 1, cursor: '0' })
    expect((await send(gateway.port, { path: '/v1/sessions/sess_limited' })).json).toMatchObject({
      cursor: '0',
    })
    await expectServing()
  })

  test('numbering producers of a session', async () => {
    await start({ producersPerSession: 2 })
    const numbered = (name: string, seq: number) =>
      publish(eventOf(100 + seq), { ...json, 'sluice-producer': `${name}; epoch=0; seq=${seq}` })
    expect((await numbered('a', 0)).status).toBe(200)
    expect((await numbered('b', 0)).status).toBe(200)
    expectProblem(await numbered('c', 0), 'too_many_producers')
    const claim = { method: 'POST', path: '/v1/sessions/sess_limited/producers/c' }
    expectProblem(await send(gateway.port, claim), 'too_many_producers')
    expect((await numbered('a', 1)).json).toMatchObject({ accepted: 1, cursor: '2' })
    expectProblem(
      await send(gateway.port, { path: '/v1/sessions/sess_limited/producers/c' }),
      'unknown_producer',
    )
    await expectServing()
  })

  test('connections of one subject, and each place is free again when its connection closes', async () => {
    await start({ connectionsPerSubject: 2 })
    await publish(eventOf(100))
    const read = { path: '/v1/sessions/sess_limited/events', headers: { accept: 'text/event-stream' } }
    const first = await open(gateway.port, read)
    await open(gateway.port, read)
    expectProblem(await send(gateway.port, read), 'too_many_connections')
    expectProblem(await publish(eventOf(200)), 'too_many_connections')
    // Another subject has its own limit.
    const mine = { path: '/v1/sessions/sess_limited', key: localKey }
    expect((await send(gateway.port, mine)).json).toMatchObject({ cursor: '0' })
    first.destroy()
    await expect.poll(async () => (await send(gateway.port, { path: mine.path })).status).toBe(200)
    await expectServing()
  })

  test('connections in all, counted over HTTP and WebSocket; the gateway still says that it is alive', async () => {
    await start({ connections: 2 })
    await publish(eventOf(100))
    const read = { path: '/v1/sessions/sess_limited/events', headers: { accept: 'text/event-stream' } }
    const stream = await open(gateway.port, read)
    const socket = await openSocket(gateway.port)
    expectProblem(await send(gateway.port, { ...read, key: localKey }), 'too_many_connections')
    const refused = await openRefused(gateway.port)
    expect(refused.status).toBe(429)
    expect(refused.headers['retry-after']).toBe('1')
    await expectServing()
    socket.close()
    await expect.poll(async () => (await send(gateway.port, { path: '/v1/sessions' })).status).toBe(200)
    stream.destroy()
  })

  test('requests of one subject in a second', async () => {
    let now = Date.now()
    const clock = { ...createSystemClock(), now: () => now, monotonic: () => now }
    await start({ requestsPerSecond: 3 }, { clock })
    const list = { path: '/v1/sessions' }
    for (let count = 0; count < 3; count += 1) expect((await send(gateway.port, list)).status).toBe(200)
    const refused = await publish(eventOf(100))
    expectProblem(refused, 'rate_limited')
    expect((await send(gateway.port, { ...list, key: localKey })).status).toBe(200)
    now += Number(refused.headers['retry-after']) * 1000
    expect((await send(gateway.port, list)).json).toEqual({ sessions: [] })
    expect(gateway.failures).toEqual([])
  })

  test('events that wait to be stored', async () => {
    const { log, release, waiting } = createSlowLog()
    await start({ pendingBytes: 1000 }, { log })
    const taken = publish(eventOf(900))
    await waiting
    const other = { method: 'POST', headers: json, body: eventOf(200) }
    const path = '/v1/sessions/sess_other/events?dialect=stream-event'
    const refused = await send(gateway.port, { ...other, path })
    release()
    expectProblem(refused, 'overloaded')
    await expectServing()
    expect((await taken).json).toMatchObject({ accepted: 1 })
    expectProblem(await send(gateway.port, { path: '/v1/sessions/sess_other' }), 'unknown_session')
    expect((await send(gateway.port, { ...other, path })).json).toMatchObject({ accepted: 1 })
  })

  test('subscriptions of one WebSocket', async () => {
    await start({ subscriptionsPerConnection: 1 })
    await publish(eventOf(100))
    const socket = await openSocket(gateway.port)
    const subscribe = (ref: string) => socket.ask({ type: 'subscribe', ref, session: 'sess_limited' })
    expect(await subscribe('a')).toMatchObject({ type: 'subscribed' })
    expect(await subscribe('b')).toMatchObject({
      type: 'error',
      code: 'too_many_connections',
      retryable: true,
    })
    socket.close()
    await expectServing()
  })

  test('subscriptions on all WebSockets of a subject, and each place is free again', async () => {
    await start({ subscriptionsPerSubject: 2 })
    await publish(eventOf(100))
    const sockets = [await openSocket(gateway.port), await openSocket(gateway.port)]
    const ask = (socket: TestSocket | undefined, type: string, ref: string) =>
      socket?.ask({ type, ref, session: 'sess_limited' })
    const [first, second] = sockets
    expect(await ask(first, 'subscribe', 'a')).toMatchObject({ type: 'subscribed' })
    expect(await ask(first, 'watch', 'w')).toMatchObject({ type: 'watching' })
    for (const type of ['subscribe', 'watch'])
      expect(await ask(second, type, type)).toMatchObject({ type: 'error', code: 'too_many_connections' })
    await ask(first, 'unsubscribe', 'w')
    expect(await ask(second, 'watch', 'x')).toMatchObject({ type: 'watching' })
    first?.close()
    await first?.closed
    await expect.poll(async () => (await ask(second, 'subscribe', 'y'))?.['type']).toBe('subscribed')
    second?.close()
    await expectServing()
  })
})

/** A log that stores nothing until it is released. */
function createSlowLog(): { log: Log; release: () => void; waiting: Promise<void> } {
  const inner = createMemoryLog()
  let release = (): void => {}
  const released = new Promise<void>((resolve) => {
    release = resolve
  })
  let isWaiting = (): void => {}
  const waiting = new Promise<void>((resolve) => {
    isWaiting = resolve
  })
  const append: Log['append'] = async (asked) => {
    isWaiting()
    await released
    return inner.append(asked)
  }
  return { log: { ...inner, append }, release, waiting }
}

/** The response to an upgrade that is refused. */
function openRefused(
  port: number,
): Promise<{ status: number | undefined; headers: Record<string, unknown> }> {
  return new Promise((resolve, reject) => {
    const ws = new WebSocket(`ws://127.0.0.1:${port}/v1/ws`, 'sluice.v1')
    ws.on('unexpected-response', (_request, { statusCode: status, headers }) => {
      resolve({ status, headers })
      ws.terminate()
    })
    ws.on('error', () => {})
    ws.on('open', () => reject(new Error('the upgrade was done')))
  })
}
