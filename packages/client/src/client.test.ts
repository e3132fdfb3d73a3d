import { encodeSse, type SluiceEvent } from '@sluice/protocol'
import { createDrivenClock } from '@sluice/protocol/testing'
import { afterEach, describe, expect, expectTypeOf, test, vi } from 'vitest'
import { type ClientOptions, createClient } from './client.ts'
import type { SluiceFrame } from './frames.ts'
import { collect } from './testing/collect.ts'
import { answerJson, openSse, type Peer, type PeerHandler, startPeer } from './testing/peer.ts'

let peer: Peer | undefined
afterEach(async () => {
  vi.unstubAllGlobals()
  await peer?.close()
})

async function connect(handle: PeerHandler, options: Partial<ClientOptions> = {}) {
  peer = await startPeer(handle)
  return { client: createClient({ url: peer.url, random: () => 0, ...options }), peer }
}

/** Each request in one line, with its body. */
const asked = ({ requests }: Peer) =>
  requests.map(({ method, url, body }) => [
    `${method} ${url.pathname}${url.search}`,
    ...(body === '' ? [] : [JSON.parse(body)]),
  ])

describe('createClient()', () => {
  test.each([
    ['http://gateway.example', 'http://gateway.example/v1/sessions'],
    ['http://gateway.example/', 'http://gateway.example/v1/sessions'],
    ['https://example.org/agents//?x=1#y', 'https://example.org/agents/v1/sessions'],
  ])('finds what %s serves', async (url, expected) => {
    const urls: string[] = []
    const client = createClient({
      url,
      async fetch(each) {
        urls.push(each)
        return new Response('{"sessions":[]}')
      },
    })
    await client.sessions.list()
    expect(urls).toEqual([expected])
  })

  test('takes an address relative to the page', async () => {
    vi.stubGlobal('location', { href: 'https://console.example/app/index.html' })
    const fetch = vi.fn(async () => new Response('{"sessions":[]}'))
    await createClient({ url: '/gateway', fetch }).sessions.list()
    expect(fetch).toHaveBeenCalledWith('https://console.example/gateway/v1/sessions', expect.anything())
  })

  test('refuses an address that is none', () => {
    expect(() => createClient({ url: 'not a url' })).toThrowError(
      expect.objectContaining({ code: 'bad_config' }),
    )
  })

  test('sends its token', async () => {
    const { client, peer } = await connect((_, response) => answerJson(response, { sessions: [] }), {
      token: 'secret',
    })
    await client.sessions.list()
    expect(peer.requests[0]?.headers.authorization).toBe('Bearer secret')
  })
})

describe('the calls of a client', () => {
  test('answer, cancel and message', async () => {
    const { client, peer } = await connect(({ url }, response) => {
      if (url.pathname.endsWith('answers')) answerJson(response, { counted: true })
      else answerJson(response, { cursor: '8', id: 'm1' }, { status: 202 })
    })
    const counted = await client.answer('sess_a', { token: 'q1', decision: 'accept' })
    expect(counted).toEqual({ counted: true })
    await client.answer('sess_a', { token: 'q2', response: 'blue' })
    expect(await client.cancel('sess_a', { reason: 'changed my mind' })).toMatchObject({ cursor: '8' })
    await client.cancel('sess_a')
    expect(await client.message('a/b c', { text: 'Hi' })).toEqual({ cursor: '8', id: 'm1' })
    expect(asked(peer)).toEqual([
      ['POST /v1/sessions/sess_a/answers', { token: 'q1', decision: 'accept' }],
      ['POST /v1/sessions/sess_a/answers', { token: 'q2', response: 'blue' }],
      ['POST /v1/sessions/sess_a/cancel', { reason: 'changed my mind' }],
      ['POST /v1/sessions/sess_a/cancel', {}],
      ['POST /v1/sessions/a%2Fb%20c/messages', { text: 'Hi' }],
    ])
  })

  test('snapshot, page and ticket', async () => {
    const { client, peer } = await connect(({ url }, response) => {
      if (url.searchParams.get('after') === '9') response.writeHead(204).end()
      else answerJson(response, { cursor: '3', frames: [], end: false, ticket: 't', expiresAt: 1 })
    })
    await client.snapshot('sess_a')
    await client.snapshot('sess_a', { at: 3 })
    await client.read('sess_a', { dialect: 'aaep', after: '1', coalesce: '40ms', limit: 5 })
    expect(await client.read('sess_a', { after: '9' })).toEqual({ frames: [], cursor: '9', end: true })
    expect(await client.ticket('sess_a', { dialect: 'aaep' })).toMatchObject({ ticket: 't', expiresAt: 1 })
    expect(asked(peer)).toEqual([
      ['GET /v1/sessions/sess_a'],
      ['GET /v1/sessions/sess_a?at=3'],
      ['GET /v1/sessions/sess_a/events?dialect=aaep&after=1&coalesce=40ms&limit=5'],
      ['GET /v1/sessions/sess_a/events?after=9'],
      ['POST /v1/tickets', { session: 'sess_a', dialect: 'aaep' }],
    ])
  })

  test('repeat what does no harm twice, a few times', async () => {
    let failures = 3
    const { client, peer } = await connect((_, response) => {
      if (failures-- > 0) response.socket?.resetAndDestroy()
      else answerJson(response, { counted: true })
    })
    await client.answer('sess_a', { token: 'q1', decision: 'reject' })
    expect(peer.requests).toHaveLength(4)
    failures = 4
    await expect(client.answer('sess_a', { token: 'q1', decision: 'reject' })).rejects.toMatchObject({
      code: 'gateway_unreachable',
    })
  })

  test('wait shortly for a gateway that asks for it, and not for long', async () => {
    const clock = createDrivenClock()
    const waits = ['2', '3600']
    const { client, peer } = await connect(
      (_, response) =>
        answerJson(
          response,
          { code: 'overloaded' },
          { status: 503, headers: { 'retry-after': waits.shift() ?? '0' } },
        ),
      { clock },
    )
    const answered = client.answer('sess_a', { token: 'q1', decision: 'reject' })
    const waitMs = await clock.nextTimer()
    expect(waitMs).toBe(2_000)
    clock.advance(waitMs)
    await expect(answered).rejects.toMatchObject({ code: 'overloaded', details: { retryAfterMs: 3_600_000 } })
    expect(peer.requests).toHaveLength(2)
  })

  test('do nothing twice that could', async () => {
    const { client, peer } = await connect((_, response) => response.socket?.resetAndDestroy())
    await expect(client.message('sess_a', { text: 'Hi' })).rejects.toMatchObject({
      code: 'gateway_unreachable',
    })
    await expect(client.cancel('sess_a')).rejects.toMatchObject({ code: 'gateway_unreachable' })
    expect(peer.requests).toHaveLength(2)
  })

  test('reject with the reason of their signal', async () => {
    const { client } = await connect(() => {})
    const signal = AbortSignal.abort(new Error('enough'))
    const calls = [
      client.answer('sess_a', { token: 'q', decision: 'accept' }, { signal }),
      client.cancel('sess_a', { signal }),
      client.message('sess_a', { text: '' }, { signal }),
      client.snapshot('sess_a', { signal }),
      client.read('sess_a', { signal }),
      client.ticket('sess_a', { signal }),
      client.publish('sess_a', [{ events: [] }], { signal }),
      client.sessions.create({ signal }),
      client.sessions.list({ signal }),
      client.sessions.all({ signal }).next(),
      client.sessions.watch({ signal }).next(),
      client.sessions.end('sess_a', { signal }),
      client.sessions.delete('sess_a', { signal }),
      client.inputs('sess_a', { signal }).next(),
    ]
    for (const result of await Promise.allSettled(calls))
      expect(result).toMatchObject({ status: 'rejected', reason: { message: 'enough' } })
  })

  test('take an answer that is cut off for none', async () => {
    const { client } = await connect((_, response) => {
      response.writeHead(200, { 'content-type': 'application/json' }).end('{"cursor":')
    })
    await expect(client.snapshot('sess_a')).rejects.toMatchObject({ code: 'gateway_unreachable' })
  })
})

describe('sessions', () => {
  test('are created once, however often it must be asked', async () => {
    let failures = 1
    const { client, peer } = await connect((_, response) => {
      if (failures-- > 0) response.socket?.resetAndDestroy()
      else answerJson(response, { id: 'sess_a' }, { status: 201 })
    })
    const labels = { team: 'blue' }
    expect(await client.sessions.create({ id: 'sess_a', labels })).toEqual({ id: 'sess_a' })
    const keys = peer.requests.map(({ headers }) => headers['idempotency-key'])
    expect(keys[0]).toMatch(/./)
    expect(keys[1]).toBe(keys[0])
    expect(asked(peer)[1]).toEqual(['POST /v1/sessions', { id: 'sess_a', labels }])
    await client.sessions.create({ idempotencyKey: 'mine' })
    expect(peer.requests.at(-1)?.headers['idempotency-key']).toBe('mine')
  })

  test('are listed by page, or all of them', async () => {
    const { client, peer } = await connect(({ url }, response) => {
      const page = Number(url.searchParams.get('page') ?? 0)
      const sessions = page === 1 ? [] : [{ id: `sess_${page}` }]
      answerJson(response, { sessions, ...(page < 2 ? { next: String(page + 1) } : {}) })
    })
    const labels = { a: '1', b: '2' }
    await client.sessions.list({ state: 'waiting', context: 'c', labels, q: 'x y', limit: 7, page: '2' })
    expect(asked(peer)).toEqual([
      ['GET /v1/sessions?state=waiting&context=c&q=x+y&label=a%3A1&label=b%3A2&limit=7&page=2'],
    ])
    const all = await collect(client.sessions.all({ state: 'open' }))
    expect(all.map(({ id }) => id)).toEqual(['sess_0', 'sess_2'])
    expect(peer.requests.every(({ url }) => url.searchParams.has('state'))).toBe(true)
  })

  test('are ended and deleted', async () => {
    const { client, peer } = await connect(({ method }, response) => {
      if (method === 'DELETE') response.writeHead(204).end()
      else answerJson(response, { cursor: '4' })
    })
    expect(await client.sessions.end('sess_a', { outcome: 'failed' })).toEqual({ cursor: '4' })
    await client.sessions.delete('sess_a')
    expect(asked(peer)).toEqual([
      ['POST /v1/sessions/sess_a/end', { outcome: 'failed' }],
      ['DELETE /v1/sessions/sess_a'],
    ])
  })

  test('are watched as slowly as their reader likes', async () => {
    const clock = createDrivenClock()
    let write = () => {}
    const { client, peer } = await connect(
      (_, response) => {
        openSse(response)
        write = () => response.write(encodeSse({ event: 'ready', data: '{}' }))
      },
      { clock },
    )
    const changes = client.sessions.watch()
    expect((await changes.next()).value).toEqual({ type: 'begin' })
    clock.advance(3_600_000)
    write()
    expect((await changes.next()).value).toEqual({ type: 'ready' })
    expect(peer.requests).toHaveLength(1)
    await changes.return()
  })

  test('are watched over one connection after the other', async () => {
    const session = encodeSse({ event: 'session', data: '{"id":"sess_a"}' })
    const ready = encodeSse({ event: 'ready', data: '{}' })
    const deleted = encodeSse({ event: 'deleted', data: '{"id":"sess_a"}' })
    const { client, peer } = await connect((_, response) => {
      openSse(response).end(session + ready + encodeSse({ event: 'other', data: '{}' }) + deleted)
    })
    const types: string[] = []
    for await (const change of client.sessions.watch({ state: 'open' })) {
      types.push(change.type)
      if (change.type === 'session') expect(change.session.id).toBe('sess_a')
      if (change.type === 'deleted') expect(change.id).toBe('sess_a')
      if (types.length === 8) break
    }
    expect(types).toEqual([...Array(2)].flatMap(() => ['begin', 'session', 'ready', 'deleted']))
    expect(peer.requests[0]?.url.search).toBe('?state=open&live=true')
  })
})

test('frames and events have the types of their dialect', () => {
  const client = createClient({ url: 'http://localhost' })
  const native = client.subscribe('sess_a')
  type Item = Extract<Awaited<ReturnType<typeof native.next>>['value'], { type: 'frame' }>
  expectTypeOf<Item['frame']>().toEqualTypeOf<SluiceFrame>()
  expectTypeOf<Item['frame']['events']>().toEqualTypeOf<readonly SluiceEvent[]>()
  const other = client.publisher('sess_a', { dialect: 'aaep' })
  expectTypeOf(other.send).toBeCallableWith({ anything: ['goes'] })
  const publisher = client.publisher('sess_a')
  expectTypeOf(publisher.send).toBeCallableWith({ events: [{ kind: 'session-start' }] })
})
