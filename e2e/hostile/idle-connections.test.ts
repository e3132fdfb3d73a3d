import { once } from 'node:events'
import { Agent, get } from 'node:http'
import { connect as connectHttp2 } from 'node:http2'
import { connect, type Socket } from 'node:net'
import { afterAll, afterEach, describe, expect, test } from 'vitest'
import { findOpenssl, makeCertificate } from '../peers/certificate.ts'
import { open, send } from './http-request.ts'
import { openSocket } from './socket.ts'
import { localKey, type StartedGateway, startGateway } from './start-gateway.ts'

let gateway: StartedGateway
const sockets: Socket[] = []
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy()
  await gateway.close()
})

const limits = { idleConnections: 8, idleConnectionsPerAddress: 4 }
const upgrade =
  'GET /v1/ws HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n' +
  'Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n'

/** Connects from a loopback address and sends a text. */
async function hold(text: string, from = '127.0.0.1'): Promise<Socket> {
  const socket = connect({ port: gateway.port, host: '127.0.0.1', localAddress: from })
  sockets.push(socket)
  socket.on('error', () => {})
  await once(socket, 'connect')
  if (text !== '') socket.write(text)
  return socket
}

const closing = (socket: Socket): Promise<unknown> =>
  socket.closed ? Promise.resolve() : new Promise((resolve) => socket.resume().once('close', resolve))

describe('connections without a request', () => {
  test.each([
    ['nothing', ''],
    ['half a head', 'GET /healthz HTTP/1.1\r\nHost: loc'],
    ['half an upgrade', upgrade],
    ['an upgrade that is refused', `${upgrade}Origin: https://evil.example\r\n\r\n`],
    ['a request to an open route', 'GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n'],
  ])('of one address that send %s: the oldest is closed', async (_, text) => {
    gateway = await startGateway({ limits })
    const held: Socket[] = []
    for (let count = 0; count < 20; count++) held.push(await hold(text))
    await Promise.all(held.slice(0, 16).map(closing))
    expect((await send(gateway.port, { path: '/v1/sessions' })).status).toBe(200)
  })

  test('of many addresses: the address with the most loses one', async () => {
    gateway = await startGateway({ limits })
    const other = await hold('', '127.0.0.2')
    for (const from of ['127.0.0.3', '127.0.0.4', '127.0.0.5'])
      for (let count = 0; count < 4; count++) await hold('', from)
    other.write('GET /v1/sessions HTTP/1.1\r\nHost: localhost\r\n\r\n')
    const [answer] = await once(other, 'data')
    expect(String(answer)).toMatch(/^HTTP\/1.1 200/)
  })

  test('are not those of streams, WebSockets and requests that are kept alive', async () => {
    gateway = await startGateway({ limits })
    const body = JSON.stringify({ type: 'answer_chunk', data: { content: 'x' } })
    const path = '/v1/sessions/sess_idle/events'
    const headers = { 'content-type': 'application/json' }
    await send(gateway.port, { method: 'POST', path: `${path}?dialect=stream-event`, headers, body })
    const stream = await open(gateway.port, { path, headers: { accept: 'text/event-stream' } })
    const socket = await openSocket(gateway.port, { key: localKey })
    for (let count = 0; count < 20; count++) await hold('')
    expect(await socket.ask({ type: 'subscribe', ref: 'a', session: 'sess_idle' })).toMatchObject({
      type: 'subscribed',
    })
    expect(stream.destroyed).toBe(false)
    const agent = new Agent({ keepAlive: true, maxSockets: 1 })
    for (let count = 0; count < 3; count++) {
      const request = get({ port: gateway.port, path: '/v1/sessions', agent })
      const [response] = await once(request, 'response')
      response.resume()
      await once(response, 'end')
      expect(request.reusedSocket).toBe(count > 0)
    }
    agent.destroy()
    socket.close()
    stream.destroy()
  })
})

const openssl = findOpenssl()

describe.skipIf(openssl === undefined)('over TLS', () => {
  const certificate = makeCertificate(openssl ?? '')
  const { cert, key } = certificate
  afterAll(() => certificate.remove())

  test('a connection without a handshake is closed', async () => {
    gateway = await startGateway({ tls: { cert, key }, limits: { headTimeoutMs: 100 } })
    await closing(await hold(''))
  })

  test('a session of HTTP/2 without a request counts as idle', async () => {
    gateway = await startGateway({ tls: { cert, key }, limits })
    const connectSession = () => {
      const session = connectHttp2(gateway.url, { ca: certificate.pem })
      session.on('error', () => {})
      return session
    }
    const sessions = Array.from({ length: 8 }, connectSession)
    let closed = 0
    await new Promise<void>((resolve) => {
      for (const session of sessions)
        session.once('close', () => {
          closed += 1
          if (closed === 4) resolve()
        })
    })
    const last = connectSession()
    const request = last.request({ ':path': '/v1/sessions', authorization: `Bearer ${localKey}` })
    const [answer] = await once(request, 'response')
    expect(answer[':status']).toBe(200)
    for (const session of [...sessions, last]) session.destroy()
  })
})
