import { gunzipSync } from 'node:zlib'
import { omitUndefined } from '@sluice/protocol'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { expectProblem } from '../hostile/expect-problem.ts'
import { open, send } from '../hostile/http-request.ts'
import { type StartedGateway, startGateway } from '../hostile/start-gateway.ts'

const path = '/v1/sessions/sess_read/events'
const event = JSON.stringify({ type: 'answer_chunk', data: { content: 'x' } })

describe('what a client asks for', () => {
  let gateway: StartedGateway
  beforeAll(async () => {
    gateway = await startGateway()
    const lines = `${event}\n`.repeat(40)
    const asked = { method: 'POST', path: `${path}?dialect=stream-event`, body: lines }
    const headers = { 'content-type': 'application/x-ndjson' }
    expect((await send(gateway.port, { ...asked, headers })).json).toMatchObject({ accepted: 40 })
  })
  afterAll(() => gateway.close())

  const json = 'application/json'
  const sse = 'text/event-stream'
  const ndjson = 'application/x-ndjson'
  const accepts: readonly (readonly [accept: string | undefined, type: string])[] = [
    [undefined, json],
    ['', json],
    ['*/*', json],
    [json, json],
    [sse, sse],
    [ndjson, ndjson],
    ['application/*', json],
    ['text/*', sse],
    [`${sse}, */*;q=0.1`, sse],
    [`${json};q=0.5, ${ndjson}`, ndjson],
    [`${sse};q=0.2, ${ndjson};q=0.4, ${json};q=0.3`, ndjson],
    [`*/*, ${json};q=0`, sse],
    ['TEXT/EVENT-STREAM', sse],
    ['text/html, application/xhtml+xml, */*;q=0.8', json],
    [`${sse}; charset=utf-8`, sse],
  ]
  test.each(accepts)('Accept: %s is answered as %s', async (accept, type) => {
    const headers = omitUndefined({ accept })
    const response = await open(gateway.port, { path, headers })
    expect(response.statusCode).toBe(200)
    expect(response.headers['content-type']?.split(';')[0]).toBe(type)
    response.destroy()
  })

  test.each(['image/png', `${json};q=0`, 'text/html', '*/*;q=0'])(
    'Accept: %s is not acceptable',
    async (accept) => {
      const problem = expectProblem(await send(gateway.port, { path, headers: { accept } }), 'not_acceptable')
      expect(problem['offered']).toEqual([json, sse, ndjson])
    },
  )

  test('the live list is served as server-sent events and as nothing else', async () => {
    const list = '/v1/sessions?live=true'
    expectProblem(await send(gateway.port, { path: list, headers: { accept: json } }), 'not_acceptable')
    const response = await open(gateway.port, { path: list, headers: { accept: sse } })
    expect(response.headers['content-type']).toContain(sse)
    response.destroy()
  })

  test.each(['inputs', 'events'])('%s have the same three media types', async (resource) => {
    for (const accept of [json, sse, ndjson]) {
      const asked = { path: `/v1/sessions/sess_read/${resource}`, headers: { accept } }
      const response = await open(gateway.port, asked)
      expect(response.headers['content-type']).toContain(accept)
      response.destroy()
    }
  })

  test('tells a cache what the answer depends on, packed or not', async () => {
    for (const headers of [{}, { 'accept-encoding': 'gzip' }, { accept: ndjson }]) {
      const response = await open(gateway.port, { path, headers })
      const names = String(response.headers.vary).toLowerCase().split(/, */)
      expect(names).toEqual(expect.arrayContaining(['origin', 'accept', 'accept-encoding']))
      response.destroy()
    }
  })

  describe('gzip', () => {
    test('is used for answers that are not streams', async () => {
      const plain = await send(gateway.port, { path })
      expect(plain.headers['content-encoding']).toBeUndefined()
      const packed = await send(gateway.port, { path, headers: { 'accept-encoding': 'gzip, br' } })
      expect(packed.headers).toMatchObject({
        'content-encoding': 'gzip',
        vary: expect.stringContaining('Accept-Encoding'),
      })
      expect(packed.bytes.length).toBeLessThan(plain.bytes.length)
      expect(gunzipSync(packed.bytes)).toEqual(plain.bytes)
      expect(packed.headers['content-length']).toBe(String(packed.bytes.length))
    })

    test.each(['gzip;q=0', 'br', 'identity', '', 'deflate, *;q=0'])(
      'is not used with Accept-Encoding: %s',
      async (header) => {
        const answer = await send(gateway.port, { path, headers: { 'accept-encoding': header } })
        expect(answer.headers['content-encoding']).toBeUndefined()
      },
    )

    test('never holds a stream back', async () => {
      for (const accept of [sse, ndjson]) {
        const headers = { accept, 'accept-encoding': 'gzip' }
        const response = await open(gateway.port, { path, headers })
        expect(response.headers['content-encoding']).toBeUndefined()
        expect(response.headers).toMatchObject({
          'cache-control': 'no-store, no-transform',
          'x-accel-buffering': 'no',
          'sluice-session': 'sess_read',
          'sluice-cursor': '39',
        })
        response.destroy()
      }
    })
  })

  describe('what a body says that it is', () => {
    const post = (type: string | undefined, body = event) =>
      send(gateway.port, {
        method: 'POST',
        path: '/v1/sessions/sess_typed/events?dialect=stream-event',
        headers: type === undefined ? {} : { 'content-type': type },
        body,
      })

    test.each([
      json,
      `${json}; charset=utf-8`,
      `${json};charset="UTF-8"`,
      'Application/JSON',
      ndjson,
      `${ndjson}; charset=utf-8`,
    ])('%s is read', async (type) => {
      expect((await post(type)).json).toMatchObject({ accepted: 1 })
    })

    test.each([
      undefined,
      '',
      'text/plain',
      'text/json',
      'application/jsonp',
      'application/x-www-form-urlencoded',
      'json',
    ])('%s is not', async (type) => {
      expectProblem(await post(type), 'unsupported_media_type')
    })

    test('a body that is compressed is not read as if it were not', async () => {
      const answer = await send(gateway.port, {
        method: 'POST',
        path: '/v1/sessions/sess_packed/events?dialect=stream-event',
        headers: { 'content-type': json, 'content-encoding': 'gzip' },
        body: event,
      })
      expectProblem(answer, 'unsupported_media_type')
    })
  })
})
