import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { bodyChunk, openRawRequest, postHead } from '../testing/raw-request.ts'
import { chunk } from '../testing/sample-lines.ts'
import { connectSocket, type SocketClient } from '../testing/socket-client.ts'
import { readEvents, readJson, type StartedGateway, startGateway } from '../testing/start-gateway.ts'

const id = 'sess_gone1'
const path = `/v1/sessions/${id}`
const query = '?dialect=stream-event'
let gateway: StartedGateway
let sockets: SocketClient[]

beforeEach(async () => {
  // Both may do everything with the session; only the grant of the first names it.
  const guests = { named: ['*:session:sess_gone*'], owning: ['*:own'] }
  gateway = await startGateway({ guests })
  sockets = []
})
afterEach(async () => {
  for (const socket of sockets) socket.close()
  await gateway.close()
})

const guests = ['named', 'owning'] as const
type Guest = (typeof guests)[number]
const told = { named: 'session_deleted', owning: 'unknown_session' } as const
const status = { named: 410, owning: 404 } as const

/** Begins the session as its owner. */
async function begin(guest: Guest): Promise<void> {
  const headers = { ...gateway.as(guest), 'content-type': 'application/json' }
  const init = { method: 'POST', headers, body: chunk('a') }
  expect((await gateway.request(`${path}/events${query}`, init)).status).toBe(200)
}

async function remove(): Promise<void> {
  const removed = await gateway.request(path, { method: 'DELETE', headers: gateway.asOwner })
  expect(removed.status).toBe(204)
}

async function connect(guest: Guest): Promise<SocketClient> {
  const socket = await connectSocket(gateway.url, { headers: gateway.as(guest) })
  sockets.push(socket)
  return socket
}

interface Asked {
  readonly method?: string
  readonly accept?: string
  readonly type?: string
  readonly body?: string
}

const json = (body: object) => ({ method: 'POST', type: 'application/json', body: JSON.stringify(body) })
const requests: readonly (readonly [string, string, Asked])[] = [
  ['the snapshot', '', {}],
  ['a past state', '?at=0', {}],
  ['a page', '/events', { accept: 'application/json' }],
  ['events', '/events?live=true', { accept: 'text/event-stream' }],
  ['lines', '/events', { accept: 'application/x-ndjson' }],
  ['an entry', '/entries/0', {}],
  ['the outline', '/outline', {}],
  ['inputs', '/inputs', {}],
  ['a producer', '/producers/p', {}],
  ['publishing JSON', `/events${query}`, { method: 'POST', type: 'application/json', body: chunk('b') }],
  [
    'publishing lines',
    `/events${query}`,
    { method: 'POST', type: 'application/x-ndjson', body: `${chunk('b')}\n` },
  ],
  ['an end', '/end', json({})],
  ['an answer', '/answers', json({ token: 't', decision: 'accept' })],
  ['a cancel', '/cancel', json({})],
  ['a message', '/messages', json({ text: 'Hi' })],
  ['a deletion', '', { method: 'DELETE' }],
]

describe.each(guests)('a deleted session is told as one to who is %s, by', (guest) => {
  test.each(requests)('a request for %s', async (_, rest, { method = 'GET', accept = '*/*', type, body }) => {
    await begin(guest)
    await remove()
    const headers = { ...gateway.as(guest), accept, ...(type === undefined ? {} : { 'content-type': type }) }
    const init = { method, headers, ...(body === undefined ? {} : { body }) }
    const response = await gateway.request(`${path}${rest}`, init)
    expect(response.status).toBe(status[guest])
    expect(await readJson(response)).toMatchObject({ code: told[guest], retryable: false })
  })

  test.each([
    ['subscribe', {}],
    ['publish', { dialect: 'stream-event', events: [JSON.parse(chunk('b'))] }],
    ['answer', { token: 't', decision: 'accept' }],
    ['cancel', {}],
    ['message', { text: 'Hi' }],
  ])('a WebSocket that sends %s', async (type, rest) => {
    await begin(guest)
    await remove()
    const socket = await connect(guest)
    socket.send({ type, ref: 'r', session: id, ...rest })
    expect(await socket.next()).toMatchObject({
      type: 'error',
      ref: 'r',
      code: told[guest],
      retryable: false,
    })
  })

  test('a WebSocket that reads it', async () => {
    await begin(guest)
    const socket = await connect(guest)
    socket.send({ type: 'subscribe', ref: 'r', session: id, after: 'now' })
    expect(await socket.next()).toMatchObject({ type: 'subscribed' })
    await remove()
    expect(await socket.next()).toMatchObject({
      type: 'error',
      ref: 'r',
      code: told[guest],
      retryable: false,
    })
  })

  test.each(['text/event-stream', 'application/x-ndjson'])(
    'the reset of a stream of %s, and the next request',
    async (accept) => {
      await begin(guest)
      const headers = { ...gateway.as(guest), accept }
      const reader = readEvents(await gateway.request(`${path}/events?live=true`, { headers }))
      await remove()
      await expect(reader.rest()).rejects.toThrow()
      expect((await gateway.request(`${path}/events?live=true`, { headers })).status).toBe(status[guest])
    },
  )

  test('an upload that is under way', async () => {
    await begin(guest)
    const { authorization } = gateway.as(guest)
    const head = postHead(`${path}/events${query}`, 'application/x-ndjson', [
      `Authorization: ${authorization}`,
    ])
    const upload = await openRawRequest(gateway.port, head)
    // By the time of the second answer, the upload has its session.
    upload.send(bodyChunk(`${chunk('b')}\n`))
    const events = async () =>
      (await readJson(await gateway.request(path, { headers: gateway.asOwner })))['session']
    while (((await events()) as { readonly seq: number }).seq < 1);
    await remove()
    upload.send(bodyChunk(`${chunk('c')}\n`))
    const answer = await upload.answer('"retryable"')
    expect(JSON.parse(answer.slice(answer.indexOf('{')))).toMatchObject({ code: told[guest], accepted: 1 })
    upload.close()
  })
})

test('the id of a deleted session is taken, and only who is granted it learns why', async () => {
  await begin('named')
  await remove()
  for (const [guest, code] of [
    ['named', 'session_deleted'],
    ['owning', 'session_exists'],
  ] as const) {
    const created = await gateway.post('/v1/sessions', { id }, gateway.as(guest))
    expect(await readJson(created)).toMatchObject({ code })
  }
})
