import { createMemoryLog } from '@sluice/log'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createFaultyLog, type FaultyLog } from '../../testing/faulty-log.ts'
import { bodyChunk, openRawRequest, postHead, type RawRequest } from '../../testing/raw-request.ts'
import { chunk } from '../../testing/sample-lines.ts'
import { connectSocket } from '../../testing/socket-client.ts'
import { readJson, type StartedGateway, startGateway } from '../../testing/start-gateway.ts'
import { until } from '../../testing/until.ts'
import { partingMs } from './open-connections.ts'

const id = 'sess_a'
const path = `/v1/sessions/${id}/events?dialect=stream-event`
const get = (url: string, ...headers: readonly string[]): string =>
  [`GET ${url} HTTP/1.1`, 'Host: 127.0.0.1', ...headers, '', ''].join('\r\n')
let log: FaultyLog
let gateway: StartedGateway
let raws: RawRequest[]

beforeEach(async () => {
  log = createFaultyLog(createMemoryLog())
  gateway = await startGateway({ log })
  raws = []
})
afterEach(async () => {
  for (const raw of raws) raw.close()
  await gateway.close()
})

async function open(head: string): Promise<RawRequest> {
  const raw = await openRawRequest(gateway.port, head)
  raws.push(raw)
  return raw
}

const stored = (seq: number) => until(async () => (await log.head(id))?.lastSeq === seq)
const bodyOf = (answer: string): unknown => JSON.parse(answer.slice(answer.indexOf('{')))

test('an upload that is open when the gateway stops is told what was stored, and when to come back', async () => {
  const raw = await open(postHead(path, 'application/x-ndjson'))
  raw.send(bodyChunk(`${chunk('a')}\nno JSON\n${chunk('b').slice(0, 9)}`))
  await stored(0)
  await gateway.gateway.close()
  const answer = await raw.answer('nothing of the kind')
  expect(answer).toMatch(/^HTTP\/1\.1 503 /)
  expect(answer).toMatch(/\r\nretry-after: 1\r\n/)
  expect(bodyOf(answer)).toMatchObject({
    code: 'closed',
    retryable: true,
    accepted: 1,
    duplicates: 0,
    refused: [{ line: 2, code: 'not_json' }],
    cursor: '0',
  })
})

test('lines of an upload that have arrived when the gateway stops are stored and counted', async () => {
  const release = log.hold()
  const raw = await open(postHead(path, 'application/x-ndjson'))
  raw.send(bodyChunk(`${chunk('a')}\n`))
  await until(() => log.appends.length === 1)
  const closed = gateway.gateway.close()
  release()
  await closed
  expect(bodyOf(await raw.answer('nothing of the kind'))).toMatchObject({ code: 'closed', accepted: 1 })
  expect((await log.head(id))?.lastSeq).toBe(0)
})

test.each([
  ['is cut', 'Content-Length: 50', '{"type":"answer_chunk",'],
  ['has not begun', 'Content-Length: 50', ''],
  ['is chunked', 'Transfer-Encoding: chunked', bodyChunk('[')],
])('a JSON body that %s when the gateway stops is refused for now', async (_, length, part) => {
  const raw = await open(
    [`POST ${path} HTTP/1.1`, 'Host: 127.0.0.1', 'Content-Type: application/json', length, '', part].join(
      '\r\n',
    ),
  )
  // Its head was read once the next request of another connection is answered.
  await gateway.request('/healthz')
  await gateway.gateway.close()
  expect(bodyOf(await raw.answer('nothing of the kind'))).toMatchObject({ code: 'closed', retryable: true })
})

test('connections without an open request do not hold up the end', async () => {
  await open('')
  await open('GET /healthz HTTP/1.1\r\nHost: 12')
  const idle = await open(get('/healthz'))
  await idle.answer('"ok"')
  await gateway.gateway.close()
  await Promise.all(raws.map((raw) => raw.answer('nothing of the kind')))
})

test('a request over a connection that was open before is told that the gateway stops', async () => {
  const release = log.hold()
  const published = gateway.publish(id, [chunk('a')], '?dialect=stream-event')
  await until(() => log.appends.length === 1)
  const idle = await open(`${get('/healthz')}GET /v1/sess`)
  await idle.answer('"ok"')
  const closed = gateway.gateway.close()
  idle.send(`ions HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n`)
  const answer = await idle.answer('"closed"')
  release()
  expect((await published).body).toMatchObject({ accepted: 1 })
  await closed
  expect(answer).toContain('application/problem+json')
})

/** Fails when the gateway waits for anything longer than this. */
async function closeWithin(ms: number): Promise<void> {
  let isClosed = false
  const closed = gateway.gateway.close().then(() => {
    isClosed = true
  })
  const startAt = gateway.clock.now()
  await until(() => {
    if (!isClosed && gateway.clock.now() < startAt + ms + 200) gateway.clock.advance(100)
    return isClosed
  })
  await closed
}

const upgrade = (url: string): string =>
  get(
    url,
    'Connection: Upgrade',
    'Upgrade: websocket',
    'Sec-WebSocket-Version: 13',
    'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
    `Sec-WebSocket-Protocol: ${url === '/v1/ws' ? 'sluice.v1' : 'aaep.v1'}`,
  )

test.each([
  ['a WebSocket', upgrade('/v1/ws')],
  ['an AAEP WebSocket', upgrade('/aaep/v1/ws')],
  ['a half-read request behind an answered one', `${get('/healthz')}GET /v1/sessions HT`],
])('%s that neither reads nor closes is cut off', async (_, head) => {
  const raw = await open(head)
  await raw.answer()
  raw.socket.pause()
  await closeWithin(partingMs)
})

test('a WebSocket whose peer reads is closed with 1012, and at once', async () => {
  const client = await connectSocket(gateway.url)
  await gateway.gateway.close()
  expect(await client.closed()).toBe(1012)
})

test('a stream whose reader takes nothing is broken off, not ended', async () => {
  const lines = Array<string>(100).fill(chunk('x'.repeat(9000)))
  await gateway.publish(id, lines, '?dialect=stream-event')
  const raw = await open(get(path, 'Accept: text/event-stream'))
  raw.socket.pause()
  const metrics = async () => (await gateway.request('/metrics')).text()
  while (!/^sluice_stalled_subscribers 1$/m.test(await metrics()))
    await gateway.publish(id, lines, '?dialect=stream-event')
  await gateway.gateway.close()
  raw.socket.resume()
  // Node reports a reset that arrives while it does not read as an end.
  expect((await raw.answer('nothing of the kind')).endsWith('\r\n0\r\n\r\n')).toBe(false)
})

test('an answer that its reader does not take is not waited for', async () => {
  const large = chunk('x'.repeat(900_000))
  for (let n = 0; n < 8; n++) await gateway.publish(id, [large], '?dialect=stream-event')
  const raw = await open('')
  raw.socket.pause()
  for (let n = 0; n < 8; n++) raw.send(get(`${path}&limit=10`, 'Accept: application/json'))
  // The first answer is under way.
  await until(() => raw.socket.bytesRead > 0 || raw.socket.readableLength > 0)
  await closeWithin(partingMs)
})

test('a session is read whole again after all that', async () => {
  await gateway.publish(id, [chunk('a')], '?dialect=stream-event')
  await gateway.gateway.close()
  const next = await startGateway({ log })
  const page = await readJson(await next.request(path))
  expect(page['frames']).toHaveLength(1)
  await next.close()
})
