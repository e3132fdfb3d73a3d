import { once } from 'node:events'
import {
  type ClientHttp2Session,
  type ClientHttp2Stream,
  connect as connectHttp2,
  constants,
} from 'node:http2'
import { type RequestOptions, request } from 'node:https'
import { connect as connectTls, type SecureVersion, type TLSSocket } from 'node:tls'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { findProgram } from '../client/find-program.ts'
import { openSocket } from '../hostile/socket.ts'
import { localKey, type StartedGateway, startGateway } from '../hostile/start-gateway.ts'
import { type Certificate, findOpenssl, makeCertificate } from './certificate.ts'
import { openCurl } from './curl-reader.ts'

const openssl = findOpenssl()
const curl = findProgram(['curl'], 'apt install curl')
const event = JSON.stringify({ type: 'answer_chunk', data: { content: 'x' } })

interface Answer {
  readonly status: number | undefined
  readonly headers: Readonly<Record<string, unknown>>
  readonly text: string
}

describe.skipIf(openssl === undefined)('https', () => {
  let gateway: StartedGateway
  let certificate: Certificate
  let h2: ClientHttp2Session
  beforeAll(async () => {
    certificate = makeCertificate(openssl ?? '')
    const { cert, key } = certificate
    gateway = await startGateway({
      tls: { cert, key },
      limits: { bodyBytes: 4096, headBytes: 4096, bodyIdleMs: 200, headTimeoutMs: 300 },
    })
    h2 = connectHttp2(gateway.url, { ca: certificate.pem })
  })
  afterAll(async () => {
    h2?.close()
    await gateway?.close()
    certificate?.remove()
  })

  const ask = (headers: Record<string, string>, body?: string): Promise<Answer> =>
    readAnswer(openH2(headers, body))

  function openH2(headers: Record<string, string>, body?: string): ClientHttp2Stream {
    const stream = h2.request({ ':path': '/', ...headers }, { endStream: body === undefined })
    if (body !== undefined) stream.end(body)
    return stream
  }

  const publish = (session: string, body = event) =>
    ask(
      {
        ':method': 'POST',
        ':path': `/v1/sessions/${session}/events?dialect=stream-event`,
        'content-type': 'application/json',
      },
      body,
    )

  test('HTTP/2: publishes, lists, reads and refuses as HTTP/1.1 does', async () => {
    expect(gateway.url).toMatch(/^https:/)
    const published = await publish('sess_h2')
    expect(published).toMatchObject({ status: 200 })
    expect(JSON.parse(published.text)).toMatchObject({ accepted: 1 })
    expect(await ask({ ':path': '/v1/sessions/sess_h2/events' })).toMatchObject({
      status: 200,
      headers: { 'sluice-request-id': expect.stringMatching(/^req_/) },
    })
    for (const [path, code, status] of [
      ['/v1/sessions/sess_none', 'unknown_session', 404],
      ['/nothing', 'unknown_route', 404],
      ['/v1/sessions/sess_h2/events?after=x', 'bad_cursor', 400],
      ['/v1/sessions/%zz', 'bad_request', 400],
    ] as const) {
      const refused = await ask({ ':path': path })
      expect(refused).toMatchObject({
        status,
        headers: { 'content-type': expect.stringContaining('problem+json') },
      })
      expect(JSON.parse(refused.text)).toMatchObject({ code })
    }
    const large = await publish('sess_h2', ' '.repeat(5000))
    expect([large.status, JSON.parse(large.text)]).toMatchObject([413, { code: 'body_too_large' }])
    expect(gateway.failures).toEqual([])
  })

  test('HTTP/2: lines are stored as they come, and a body that stands still is told so', async () => {
    const stream = h2.request({
      ':method': 'POST',
      ':path': '/v1/sessions/sess_lines/events?dialect=stream-event',
      'content-type': 'application/x-ndjson',
    })
    stream.write(`${event}\n`)
    await expect
      .poll(async () => (await ask({ ':path': '/v1/sessions/sess_lines' })).text)
      .toContain('"cursor":"0"')
    const answer = await readAnswer(stream)
    expect(answer.status).toBe(408)
    expect(JSON.parse(answer.text)).toMatchObject({ code: 'request_timeout', accepted: 1 })
  })

  test('HTTP/2: server-sent events come one by one, many on one connection, and end cleanly with the session', async () => {
    await publish('sess_sse')
    const streams = Array.from({ length: 20 }, () =>
      follow(openH2({ ':path': '/v1/sessions/sess_sse/events', accept: 'text/event-stream' })),
    )
    for (let count = 1; count <= 5; count += 1) {
      for (const { text } of streams) await expect.poll(() => text().match(/^id: /gm)?.length).toBe(count)
      if (count < 5) await publish('sess_sse')
    }
    await ask(
      { ':method': 'POST', ':path': '/v1/sessions/sess_sse/end', 'content-type': 'application/json' },
      '{}',
    )
    for (const { text, end } of streams) {
      expect(await end).toBe(constants.NGHTTP2_NO_ERROR)
      expect(text()).toContain('event: sluice.end')
    }
    expect(
      (await ask({ ':path': '/v1/sessions/sess_sse/events?after=5', accept: 'text/event-stream' })).status,
    ).toBe(204)
  })

  test('HTTP/2: a stream that is broken off is reset, and the connection lives', async () => {
    await publish('sess_gone')
    const { text, end } = follow(
      openH2({ ':path': '/v1/sessions/sess_gone/events', accept: 'text/event-stream' }),
    )
    await expect.poll(text).toContain('id: 0')
    const authorization = `Bearer ${localKey}`
    expect(
      await ask({ ':method': 'DELETE', ':path': '/v1/sessions/sess_gone', authorization }),
    ).toMatchObject({ status: 204 })
    expect(await end).not.toBe(constants.NGHTTP2_NO_ERROR)
    expect(await ask({ ':path': '/healthz' })).toMatchObject({ status: 200 })
  })

  test('HTTP/2: requests that are withdrawn at once leave the gateway serving', async () => {
    await publish('sess_rapid')
    const rapid = connectHttp2(gateway.url, { ca: certificate.pem })
    rapid.on('error', () => {})
    for (let count = 0; count < 2000 && !rapid.closed; count += 1) {
      const stream = rapid.request({ ':path': '/v1/sessions/sess_rapid/events', accept: 'text/event-stream' })
      stream.on('error', () => {})
      stream.close(constants.NGHTTP2_CANCEL)
    }
    rapid.close()
    await once(rapid, 'close')
    const subscribers = async () =>
      /sluice_subscribers.*"sse".* (\d+)/.exec((await ask({ ':path': '/metrics' })).text)?.[1]
    await expect.poll(subscribers).toBe('0')
    expect(gateway.failures).toEqual([])
  })

  test('HTTP/2: a name that is not the gateway’s is refused', async () => {
    expect(await ask({ ':authority': 'evil.example', ':path': '/v1/sessions' })).toMatchObject({
      status: 403,
    })
    const origin = 'https://evil.example'
    const write = { ':method': 'POST', ':path': '/v1/sessions', 'content-type': 'application/json', origin }
    expect(await ask(write, '{}')).toMatchObject({ status: 403 })
  })

  test('HTTP/1.1 is served beside it', async () => {
    await publish('sess_h1')
    const answer = await askHttp1({ path: '/v1/sessions/sess_h1/events' })
    expect([answer.status, JSON.parse(answer.text)]).toMatchObject([200, { frames: { length: 1 } }])
    expect(await askHttp1({ path: '/nothing' })).toMatchObject({ status: 404 })
  })

  test('HTTP/1.1: the limits on the head hold here too', async () => {
    const large = await askHttp1({ path: '/healthz', headers: { 'x-large': 'x'.repeat(8000) } })
    expect(large.status).toBe(431)
    const socket = await dialTls('TLSv1.3', ['http/1.1'])
    socket.write('GET /healthz HTTP/1.1\r\nHost: loc')
    let text = ''
    socket.on('data', (chunk: Buffer) => {
      text += chunk.toString()
    })
    await once(socket, 'close')
    expect(text).toMatch(/^HTTP\/1\.1 408 /)
  })

  test('HTTP/2: the limit on the head holds here too', async () => {
    const stream = openH2({ ':path': '/healthz', 'x-large': 'x'.repeat(8000) })
    const outcome = await readAnswer(stream).then(
      ({ status }) => status,
      () => 'reset',
    )
    expect(['reset', 431]).toContain(outcome)
    expect(await ask({ ':path': '/healthz' })).toMatchObject({ status: 200 })
  })

  test('a WebSocket reads over TLS', async () => {
    await publish('sess_wss')
    const url = gateway.url.replace('https', 'wss')
    const socket = await openSocket(gateway.port, { url: `${url}/v1/ws`, ca: certificate.pem })
    expect(await socket.ask({ type: 'subscribe', ref: 's', session: 'sess_wss' })).toMatchObject({
      type: 'subscribed',
    })
    expect(await socket.waitFor(({ type }) => type === 'frames')).toMatchObject({ frames: [{ cursor: '0' }] })
    socket.close()
  })

  test('every answer asks browsers to come back over https alone', async () => {
    await publish('sess_hsts')
    const answers = [
      await ask({}),
      await ask({ ':path': '/nothing' }),
      await ask({ ':path': '/v1/sessions/%zz' }),
      await ask({ ':path': '/v1/sessions/sess_hsts/events?live=false', accept: 'text/event-stream' }),
      await ask({ ':path': '/v1/sessions', authorization: 'Bearer wrong' }),
      await ask({ ':path': '/healthz', ':authority': 'evil.example' }),
    ]
    for (const { headers } of answers)
      expect(headers).toMatchObject({
        'strict-transport-security': 'max-age=31536000',
        'x-content-type-options': 'nosniff',
        'cache-control': expect.stringMatching(/^no-store/),
      })
  })

  test('what is asked of localhost leaves other programs of this machine their http', async () => {
    for (const authority of ['localhost', `LOCALHOST:${gateway.port}`, 'localhost.']) {
      const { status, headers } = await ask({ ':path': '/healthz', ':authority': authority })
      expect([status, headers['strict-transport-security']]).toEqual([200, undefined])
    }
  })

  test.each(['TLSv1', 'TLSv1.1'] as const)('%s is refused', async (version) => {
    await expect(dialTls(version)).rejects.toMatchObject({
      code: expect.stringMatching(/SSL|TLS|ECONNRESET/),
    })
  })

  test.each(['TLSv1.2', 'TLSv1.3'] as const)('%s is taken', async (version) => {
    const socket = await dialTls(version)
    expect(socket.getProtocol()).toBe(version)
    socket.destroy()
  })

  test('what is no TLS is dropped, and the gateway serves on', async () => {
    const plain = fetch(gateway.url.replace('https', 'http'))
    await expect(plain).rejects.toThrow()
    expect(await ask({ ':path': '/healthz' })).toMatchObject({ status: 200 })
    expect(gateway.failures).toEqual([])
  })

  test.skipIf(curl === undefined)('curl reads over HTTP/2', async () => {
    await publish('sess_curl')
    const reader = openCurl(`${gateway.url}/v1/sessions/sess_curl/events`, [
      '--cacert',
      certificate.cert,
      '--http2',
    ])
    await expect.poll(reader.frames).toHaveLength(1)
    await ask(
      { ':method': 'POST', ':path': '/v1/sessions/sess_curl/end', 'content-type': 'application/json' },
      '{}',
    )
    expect(await reader.stopped).toBe(204)
    expect(reader.exits).toEqual([0, 0])
  })

  function askHttp1(options: RequestOptions): Promise<Answer> {
    return new Promise((resolve, reject) => {
      const asked = request({
        host: '127.0.0.1',
        port: gateway.port,
        ca: certificate.pem,
        agent: false,
        ...options,
      })
      asked.on('error', reject)
      asked.on('response', async (response) => {
        let text = ''
        for await (const chunk of response) text += String(chunk)
        resolve({ status: response.statusCode, headers: response.headers, text })
      })
      asked.end()
    })
  }

  async function dialTls(version: SecureVersion, protocols: readonly string[] = ['h2']): Promise<TLSSocket> {
    const socket = connectTls({
      host: '127.0.0.1',
      port: gateway.port,
      ca: certificate.pem,
      minVersion: version,
      maxVersion: version,
      ALPNProtocols: [...protocols],
      // The client would not offer the old ones at its default level.
      ciphers: 'DEFAULT@SECLEVEL=0',
    })
    await once(socket, 'secureConnect')
    return socket
  }
})

async function readAnswer(stream: ClientHttp2Stream): Promise<Answer> {
  const [headers] = (await once(stream, 'response')) as [Record<string, unknown>]
  let text = ''
  for await (const chunk of stream) text += String(chunk)
  return { status: Number(headers[':status']), headers, text }
}

/** The text of a stream as it arrives, and the code with which the stream was closed. */
function follow(stream: ClientHttp2Stream): { text: () => string; end: Promise<number> } {
  let text = ''
  stream.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk
  })
  stream.on('error', () => {})
  const end = new Promise<number>((resolve) => stream.on('close', () => resolve(stream.rstCode)))
  return { text: () => text, end }
}
