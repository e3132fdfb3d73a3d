import { createMemoryLog } from '@sluice/log'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { createFaultyLog, type FaultyLog } from '../../testing/faulty-log.ts'
import { entriesIn } from '../../testing/open-test-writer.ts'
import { bodyChunk, openRawRequest, postHead } from '../../testing/raw-request.ts'
import { aaepEvent, chunk } from '../../testing/sample-lines.ts'
import { readEvents, readJson, type StartedGateway, startGateway } from '../../testing/start-gateway.ts'
import { until } from '../../testing/until.ts'

const id = 'sess_publish'
const path = `/v1/sessions/${id}/events`
const query = '?dialect=stream-event'
let gateway: StartedGateway
let log: FaultyLog

beforeEach(async () => {
  log = createFaultyLog(createMemoryLog())
  gateway = await startGateway({ log, limits: { eventBytes: 2000, bodyBytes: 6000, bodyIdleMs: 60_000 } })
})
afterEach(() => gateway.close())

const post = async (body: string, more: Record<string, string> = {}, search = query) => {
  const response = await gateway.request(`${path}${search}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...more },
    body,
  })
  return { status: response.status, headers: response.headers, body: await readJson(response) }
}

describe('JSON', () => {
  test('is one event or an array of them', async () => {
    expect((await post(chunk('a'))).body).toEqual({
      accepted: 1,
      duplicates: 0,
      refused: [],
      findings: [],
      cursor: '0',
    })
    expect((await post(`[${chunk('b')}, ${chunk('c')}]`)).body).toMatchObject({ accepted: 2, cursor: '2' })
    expect((await post('[]')).body).toMatchObject({ accepted: 0, cursor: '2' })
  })

  test('is refused as a whole with every place', async () => {
    await post(chunk('a'))
    const { status, body } = await post(`[${chunk('b')}, ${'['.repeat(70)}${']'.repeat(70)}]`)
    expect(status).toBe(422)
    expect(body).toMatchObject({
      code: 'events_refused',
      refusedCount: 1,
      refused: [{ line: 2, code: 'too_deep', path: '' }],
    })
    expect((await post('{"type":')).status).toBe(422)
    expect(await entriesIn(log, id)).toHaveLength(1)
  })

  test('is kept as it was received', async () => {
    const text = '{"data":{"content":"x","n":12345678901234567890, "m":1.0},"type":"answer_chunk"}'
    await post(text)
    expect((await entriesIn(log, id))[0]?.raw).toBe(text)
  })

  test('is bounded by event and by body', async () => {
    expect(await post(chunk('x'.repeat(3000)))).toMatchObject({
      status: 413,
      body: { code: 'event_too_large', limit: 2000 },
    })
    const { status, body } = await post(`[${chunk('a')}, ${chunk('x'.repeat(3000))}]`)
    expect(status).toBe(422)
    expect(body).toMatchObject({ refused: [{ line: 2, code: 'event_too_large' }] })
    const large = `[${Array.from({ length: 9 }, () => chunk('x'.repeat(900))).join()}]`
    expect(await post(large)).toMatchObject({ status: 413, body: { code: 'body_too_large', limit: 6000 } })
  })

  test('of an unknown dialect or media type is refused', async () => {
    expect((await post('{"what":1}', {}, '')).body).toMatchObject({ code: 'undetected_dialect' })
    expect((await post(chunk('a'), {}, '?dialect=latin')).body).toMatchObject({ code: 'unknown_dialect' })
    for (const type of ['text/plain', 'application/xml'])
      expect(await post(chunk('a'), { 'content-type': type })).toMatchObject({
        status: 415,
        body: { code: 'unsupported_media_type' },
      })
    expect((await post(chunk('a'), {}, '')).body).toMatchObject({ accepted: 1 })
  })
})

describe('numbers of a producer', () => {
  const numbered = (seq: number, epoch = 0) => ({ 'sluice-producer': `p; epoch=${epoch}; seq=${seq}` })

  test('are taken, repeated, missed and fenced', async () => {
    expect((await post(chunk('a'), numbered(0))).body).toMatchObject({ accepted: 1 })
    expect((await post(chunk('a'), numbered(0))).body).toMatchObject({ duplicates: 1 })
    expect(await post(chunk('c'), numbered(2))).toMatchObject({
      status: 409,
      body: { code: 'producer_gap', expected: 1 },
    })
    expect((await post(chunk('b'), numbered(0, 1))).body).toMatchObject({ accepted: 1 })
    expect(await post(chunk('b'), numbered(1))).toMatchObject({
      status: 409,
      body: { code: 'producer_fenced', epoch: 1 },
    })
    expect(await readJson(await gateway.request(`/v1/sessions/${id}/producers/p`))).toEqual({
      producer: 'p',
      epoch: 1,
      seq: 0,
    })
    expect((await gateway.request(`/v1/sessions/${id}/producers/q`)).status).toBe(404)
    expect((await post(chunk('a'), { 'sluice-producer': 'p; seq=0' })).body).toMatchObject({
      code: 'bad_request',
    })
  })

  test('tell a stream of its gap while it is still open', async () => {
    const raw = await openRawRequest(
      gateway.port,
      postHead(`${path}${query}`, 'application/x-ndjson', ['Sluice-Producer: p; epoch=0; seq=5']),
    )
    raw.send(bodyChunk(`${chunk('a')}\n`))
    const answer = await raw.answer('"retryable"')
    expect(answer).toContain('409')
    expect(answer).toContain('producer_gap')
    raw.close()
  })
})

describe('a streamed body', () => {
  test('is stored line by line while the rest still comes', async () => {
    const raw = await openRawRequest(gateway.port, postHead(`${path}${query}`, 'application/x-ndjson'))
    raw.send(bodyChunk(`${chunk('a')}\n${chunk('b').slice(0, 9)}`))
    await until(async () => (await log.head(id))?.lastSeq === 0)
    raw.send(bodyChunk(`${chunk('b').slice(9)}\n\nno JSON\n${chunk('c')}`))
    raw.send('0\r\n\r\n')
    const answer = await raw.answer('"cursor"')
    expect(JSON.parse(answer.slice(answer.indexOf('{')))).toMatchObject({
      accepted: 3,
      refused: [{ line: 4, code: 'not_json' }],
      cursor: '2',
    })
    raw.close()
  })

  test('keeps its complete lines when it breaks off, and not the one that was cut', async () => {
    const raw = await openRawRequest(gateway.port, postHead(`${path}${query}`, 'application/x-ndjson'))
    raw.send(bodyChunk(`${chunk('a')}\n${chunk('b')}`))
    await until(async () => (await log.head(id))?.lastSeq === 0)
    raw.close()
    expect((await gateway.publish(id, [chunk('c')], query)).body).toMatchObject({ cursor: '1' })
  })

  const cutBodies: readonly (readonly [string, string, (text: string) => string])[] = [
    ['in the middle of a chunk', 'Transfer-Encoding: chunked', (text) => bodyChunk(text).slice(0, -1)],
    ['between two chunks', 'Transfer-Encoding: chunked', (text) => bodyChunk(text)],
    ['before its length', 'Content-Length: 5000', (text) => text],
  ]
  const head = (type: string, length: string): string =>
    [`POST ${path}${query} HTTP/1.1`, 'Host: 127.0.0.1', `Content-Type: ${type}`, length, '', ''].join('\r\n')

  test.each(cutBodies)(
    'that ends %s is told what of it was stored, and may be repeated',
    async (_, length, cut) => {
      const raw = await openRawRequest(gateway.port, head('application/x-ndjson', length))
      raw.socket.end(cut(`${chunk('a')}\nno JSON\n${chunk('b').slice(0, 9)}`))
      const answer = await raw.answer('nothing of the kind')
      expect(answer).toMatch(/^HTTP\/1\.1 400 /)
      expect(JSON.parse(answer.slice(answer.indexOf('{')))).toMatchObject({
        code: 'body_incomplete',
        retryable: true,
        accepted: 1,
        duplicates: 0,
        refused: [{ line: 2, code: 'not_json' }],
        cursor: '0',
      })
      expect((await log.head(id))?.lastSeq).toBe(0)
    },
  )

  test.each(cutBodies)('of JSON that ends %s stores nothing, and may be repeated', async (_, length, cut) => {
    const raw = await openRawRequest(gateway.port, head('application/json', length))
    raw.socket.end(cut(`[${chunk('a')}`))
    const answer = await raw.answer('nothing of the kind')
    expect(JSON.parse(answer.slice(answer.indexOf('{')))).toMatchObject({
      code: 'body_incomplete',
      retryable: true,
    })
    expect(await log.head(id)).toBeUndefined()
  })

  test('that ends before anybody reads it is told so', async () => {
    const raw = await openRawRequest(gateway.port, '')
    raw.socket.end(`${head('application/x-ndjson', 'Content-Length: 5000')}${chunk('a')}\n`)
    expect(await raw.answer('nothing of the kind')).toMatch(/"accepted":1.*"body_incomplete"/)
  })

  test('with a broken chunk is told what of it was stored', async () => {
    const raw = await openRawRequest(gateway.port, postHead(`${path}${query}`, 'application/x-ndjson'))
    raw.send(`${bodyChunk(`${chunk('a')}\n`)}no length\r\n`)
    expect(await raw.answer('nothing of the kind')).toMatch(/"accepted":1.*"bad_request"/)
  })

  test('that stands still is given up and told so; a blank line keeps it alive', async () => {
    const raw = await openRawRequest(gateway.port, postHead(`${path}${query}`, 'application/x-ndjson'))
    raw.send(bodyChunk(`${chunk('a')}\n`))
    await until(async () => (await log.head(id))?.lastSeq === 0)
    gateway.clock.advance(59_000)
    raw.send(bodyChunk(`\n${chunk('b')}\n`))
    await until(async () => (await log.head(id))?.lastSeq === 1)
    gateway.clock.advance(59_000)
    raw.send(bodyChunk(`${chunk('c')}\n`))
    await until(async () => (await log.head(id))?.lastSeq === 2)
    await until(() => {
      gateway.clock.advance(60_000)
      return raw.socket.bytesRead > 0
    })
    expect(await raw.answer('"retryable"')).toContain('request_timeout')
    raw.close()
  })

  test('whose first lines cannot be read is judged line by line, however it is cut', async () => {
    const raw = await openRawRequest(gateway.port, postHead(path, 'application/x-ndjson'))
    raw.send(bodyChunk('no JSON\n'))
    raw.send(bodyChunk(`${chunk('a')}\n`))
    raw.send('0\r\n\r\n')
    expect(await raw.answer('"cursor"')).toContain('"accepted":1')
    raw.close()
  })

  test('that idled longer than sessions stay in memory still reaches those who came since', async () => {
    await gateway.close()
    gateway = await startGateway({ log, limits: { bodyIdleMs: 600_000 } })
    const raw = await openRawRequest(gateway.port, postHead(`${path}${query}`, 'application/x-ndjson'))
    raw.send(bodyChunk(`${chunk('a')}\n`))
    await until(async () => (await log.head(id))?.lastSeq === 0)
    for (let minutes = 0; minutes < 3; minutes++) gateway.clock.advance(60_000)
    const reader = readEvents(
      await gateway.request(`${path}${query}&after=0`, { headers: { accept: 'text/event-stream' } }),
    )
    raw.send(bodyChunk(`${chunk('b')}\n`))
    expect((await reader.next())?.data).toBe(chunk('b'))
    await reader.close()
    raw.close()
  })
})

test('many who begin a session at the same time, while others look for it, write one session', async () => {
  const texts = Array.from({ length: 12 }, (_, index) => `${index}`)
  const writes = texts.map((text) => post(chunk(text)))
  const looks = texts.map(() => gateway.request(path))
  const answers = await Promise.all(writes)
  for (const look of await Promise.all(looks)) expect([200, 404]).toContain(look.status)
  expect(answers.map(({ status }) => status)).toEqual(texts.map(() => 200))
  expect((await entriesIn(log, id)).map(({ seq }) => seq)).toEqual(texts.map((_, index) => index))
})

test('a store that fails is told as it is, and the next request works', async () => {
  log.failAppends('storage_full', 0)
  expect(await post(chunk('a'))).toMatchObject({ status: 507, body: { code: 'storage_full' } })
  const { status, headers } = await post(chunk('a'))
  expect(status).toBe(200)
  expect(headers.get('sluice-request-id')).toMatch(/^req_/)
})

test('the trace context of a request is kept with its entries', async () => {
  const traceparent = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01'
  await post(chunk('a'), { traceparent })
  expect((await entriesIn(log, id))[0]?.source.trace).toBe(traceparent)
})

test('an event of another session is refused', async () => {
  await gateway.publish(
    id,
    [aaepEvent({ session: id, name: 'session.started', id: 'a' }, { summary_normal: 'Go.' })],
    '?dialect=aaep',
  )
  const other = aaepEvent(
    { session: 'sess_other', name: 'session.started', id: 'b' },
    { summary_normal: 'Go.' },
  )
  expect((await post(other, {}, '?dialect=aaep')).body).toMatchObject({
    refused: [{ code: 'session_mismatch' }],
  })
})

test('a session with a foreign name is found by it', async () => {
  const foreign = encodeURIComponent('run/7 ü')
  await gateway.publish(foreign, [chunk('a')], `${query}&agent=subscriptions`)
  const { session } = (await readJson(
    await gateway.request(`/v1/sessions/${foreign}?agent=subscriptions`),
  )) as {
    session: { id: string; foreign: string }
  }
  expect(session.foreign).toBe('run/7 ü')
  expect(session.id).toMatch(/^sess_[0-9a-f]{32}$/)
  expect((await gateway.request(`/v1/sessions/${session.id}`)).status).toBe(200)
  expect((await gateway.request(`/v1/sessions/${foreign}`)).status).toBe(404)
})
