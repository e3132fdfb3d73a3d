import { createSseDecoder } from '@sluice/protocol'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { openRawRequest, type RawRequest } from '../../testing/raw-request.ts'
import { chunk } from '../../testing/sample-lines.ts'
import { readEvents, readJson, type StartedGateway, startGateway } from '../../testing/start-gateway.ts'
import { until } from '../../testing/until.ts'

const id = 'sess_slow'
const query = '?dialect=stream-event'
const hourMs = 3_600_000
let gateway: StartedGateway

beforeEach(async () => {
  gateway = await startGateway()
  await gateway.publish(id, [chunk('first')], query)
})
afterEach(() => gateway.close())

const openRaw = (version = '1.1'): Promise<RawRequest> =>
  openRawRequest(
    gateway.port,
    `GET /v1/sessions/${id}/events${query} HTTP/${version}\r\nHost: 127.0.0.1\r\nAccept: text/event-stream\r\n` +
      `Authorization: ${gateway.asOwner.authorization}\r\n\r\n`,
  )

const countOf = async (name: string): Promise<number> => {
  const text = await (await gateway.request('/metrics')).text()
  return Number(new RegExp(`^sluice_\\w*${name}\\w*(?:\\{[^}]*\\})? (\\d+)$`, 'm').exec(text)?.[1])
}

/** Publishes until the reader no longer accepts anything, and returns how many events that took. */
async function stall(): Promise<number> {
  let count = 0
  while ((await countOf('stalled')) === 0) {
    await gateway.publish(
      id,
      Array.from({ length: 100 }, (_, index) => chunk(`${count + index} ${'x'.repeat(9000)}`)),
      query,
    )
    count += 100
  }
  return count
}

/** The events of a response with a chunked body. */
function decodeChunked(answer: string): readonly string[] {
  let rest = answer.slice(answer.indexOf('\r\n\r\n') + 4)
  let body = ''
  for (;;) {
    const [size = ''] = rest.split('\r\n', 1)
    const bytes = Number.parseInt(size, 16)
    if (!(bytes > 0)) break
    body += rest.slice(size.length + 2, size.length + 2 + bytes)
    expect(rest.slice(size.length + 2 + bytes, size.length + 4 + bytes)).toBe('\r\n')
    rest = rest.slice(size.length + 4 + bytes)
  }
  const decoder = createSseDecoder()
  return decoder.push(Buffer.from(body)).flatMap((message) => (message.ok ? [message.id ?? ''] : []))
}

describe('a reader that does not read', () => {
  test.each(['1.1', '1.0'])('over HTTP/%s gets every event once it does', async (version) => {
    const raw = await openRaw(version)
    await raw.answer('first')
    raw.socket.pause()
    const count = await stall()
    await gateway.post(`/v1/sessions/${id}/end`)
    raw.socket.resume()
    const answer = await raw.answer('sluice.end')
    await raw.answer('0\r\n\r\n')
    expect(decodeChunked(answer).slice(0, count + 1)).toEqual(
      Array.from({ length: count + 1 }, (_, index) => String(index)),
    )
    raw.close()
  })

  test('does not hold up the others', async () => {
    const raw = await openRaw()
    await raw.answer('first')
    raw.socket.pause()
    const other = readEvents(
      await gateway.request(`/v1/sessions/${id}/events${query}`, {
        headers: { accept: 'text/event-stream' },
      }),
    )
    const count = await stall()
    for (let index = 0; index <= count; index++) expect((await other.next())?.id).toBe(String(index))
    raw.close()
    await other.close()
  })

  test('is reset after an hour without a byte, and no earlier; its cursor stays good', async () => {
    const raw = await openRaw()
    await raw.answer('first')
    raw.socket.pause()
    await stall()
    gateway.clock.advance(hourMs - 2000)
    expect(await countOf('stalled')).toBe(1)
    gateway.clock.advance(4000)
    await until(async () => (await countOf('stalled')) === 0)
    const next = readEvents(
      await gateway.request(`/v1/sessions/${id}/events${query}`, {
        headers: { accept: 'text/event-stream', 'last-event-id': '0' },
      }),
    )
    expect((await next.next())?.id).toBe('1')
    await next.close()
    raw.close()
  })
})

test('a stream is reset when its credential expires', async () => {
  const { ticket } = await readJson(await gateway.post('/v1/tickets', { session: id }))
  const reader = readEvents(
    await gateway.request(`/v1/sessions/${id}/events?ticket=${String(ticket)}`, {
      headers: { accept: 'text/event-stream' },
    }),
  )
  await reader.next()
  gateway.clock.advance(23 * hourMs)
  await gateway.publish(id, [chunk('still')], query)
  await reader.next()
  gateway.clock.advance(2 * hourMs)
  await expect(reader.rest()).rejects.toThrow()
})

test('a reader who leaves is forgotten', async () => {
  const timers = gateway.clock.timers
  const isCounted = async () =>
    /^sluice_\w*subscribers\{[^}]*"sse"[^}]*\} 1$/m.test(await (await gateway.request('/metrics')).text())
  const raw = await openRaw()
  await raw.answer('first')
  expect(await isCounted()).toBe(true)
  raw.close()
  await until(async () => !(await isCounted()))
  expect(gateway.clock.timers).toBe(timers)
})

test('two requests on one connection are answered one behind the other', async () => {
  await gateway.post(`/v1/sessions/${id}/end`)
  const head = `Host: 127.0.0.1\r\nAccept: text/event-stream\r\n\r\n`
  const raw = await openRawRequest(
    gateway.port,
    `GET /v1/sessions/${id}/events${query} HTTP/1.1\r\n${head}GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n`,
  )
  const answer = await raw.answer('"status":"ok"')
  expect(answer.indexOf('sluice.end')).toBeGreaterThan(0)
  expect(answer.indexOf('"status":"ok"')).toBeGreaterThan(answer.indexOf('sluice.end'))
  raw.close()
})
