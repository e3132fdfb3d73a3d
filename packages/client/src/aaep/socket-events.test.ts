import { createDrivenClock } from '@sluice/protocol/testing'
import fc from 'fast-check'
import { afterEach, describe, expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { type ClientOptions, createClient } from '../client.ts'
import type { ConnectionState } from '../connection-state.ts'
import { aaepEvent, accepted } from '../testing/aaep-peer.ts'
import {
  type AaepSocketPeer,
  type AaepSocketPeerOptions,
  startAaepSocketPeer,
} from '../testing/aaep-socket-peer.ts'
import { answerJson } from '../testing/peer.ts'
import { runs } from '../testing/runs.ts'

let peer: AaepSocketPeer | undefined
afterEach(() => peer?.close())

/** A client that does not wait between attempts. */
async function connect(options: AaepSocketPeerOptions = {}, given: Partial<ClientOptions> = {}) {
  peer = await startAaepSocketPeer(options)
  return {
    client: createClient({ url: peer.url, WebSocket, transport: 'ws', random: () => 0, ...given }),
    peer,
  }
}

/** The ids of the next events. */
async function take(events: AsyncIterator<{ readonly event_id: string }>, count: number): Promise<string[]> {
  const ids: string[] = []
  while (ids.length < count) ids.push((await events.next()).value?.event_id)
  return ids
}

const idsUpTo = (count: number) => Array.from({ length: count }, (_, n) => `evt_${n}`)
const rejected = (reason_code: string, more: object = {}) =>
  JSON.stringify({ type: 'subscription.rejected', reason_code, reason_message: 'Not like this.', ...more })

describe("subscribeAaep() with transport 'ws'", () => {
  test('takes up over the WebSocket, on its terms, what it made over HTTP', async () => {
    const { client, peer } = await connect(
      {
        onSubscription: (_, response) =>
          answerJson(response, { ...accepted, honored_capabilities: { pace_wpm: 90 } }),
      },
      { token: 'key' },
    )
    const events = client.subscribeAaep(
      { pace_wpm: 100 },
      { sessions: ['sess_a'], subscriber: { id: 'reader' } },
    )
    expect(await events.accepted).toEqual(accepted)
    peer.emit(aaepEvent(0))
    expect((await events.next()).value).toEqual(aaepEvent(0))
    expect(peer.taken).toEqual([
      {
        type: 'subscription.request',
        aaep_version: '1.0.0',
        subscriber_id: 'reader',
        capabilities: { pace_wpm: 90 },
        extensions: { sluice: { subscription_id: 'sub_1' } },
      },
    ])
    expect(peer.offered[0]).toMatch(/^aaep\.v1, ?bearer\.a2V5$/)
    expect(peer.requests.map(({ method, url }) => `${method} ${url.pathname}`)).toEqual([
      'POST /aaep/v1/subscriptions',
      'GET /aaep/v1/subscriptions/sub_1',
    ])
    await events.return()
    await peer.emptied()
  })

  test('goes on behind the last event after every cut, and hands each on once', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(fc.integer({ min: 0, max: 4 }), fc.constantFrom(undefined, 1011, 1012, 4004)), {
          maxLength: 6,
        }),
        async (bursts) => {
          const { client, peer } = await connect()
          try {
            const events = client.subscribeAaep()
            let n = 0
            for (const [burst, code] of bursts) {
              const from = n
              for (let i = 0; i <= burst; i++) peer.emit(aaepEvent(n++))
              expect(await take(events, n - from)).toEqual(idsUpTo(n).slice(from))
              peer.drop(code)
            }
            await events.return()
          } finally {
            await peer.close()
          }
        },
      ),
      { numRuns: runs(15) },
    )
  })

  test('passes over what comes again, and what is no event', async () => {
    const { client } = await connect({
      onRequest(_, socket) {
        socket.send(JSON.stringify(accepted))
        socket.send('{"type":"of_the_future"}')
        for (const n of [0, 0, 1, 0, 2]) socket.send(JSON.stringify(aaepEvent(n)))
      },
    })
    const events = client.subscribeAaep()
    expect(await take(events, 3)).toEqual(idsUpTo(3))
    await events.return()
  })

  test('takes up a subscription that stands', async () => {
    const { client, peer } = await connect()
    for (const n of [0, 1, 2]) peer.emit(aaepEvent(n))
    const events = client.subscribeAaep({}, { subscription: 'sub_1', lastEventId: 'evt_1' })
    expect(await take(events, 1)).toEqual(['evt_2'])
    expect(peer.taken).toMatchObject([
      { extensions: { sluice: { subscription_id: 'sub_1', last_event_id: 'evt_1' } } },
    ])
    await events.return()
  })

  test('ends when the gateway says that nothing follows', async () => {
    const { client, peer } = await connect()
    const states: ConnectionState['status'][] = []
    const events = client.subscribeAaep({}, { onConnection: ({ status }) => states.push(status) })
    peer.emit(aaepEvent(0))
    await take(events, 1)
    peer.drop(4000)
    expect(await events.next()).toEqual({ done: true, value: undefined })
    expect(new Set(states)).toEqual(new Set(['connecting', 'catching-up', 'closed']))
  })

  test('fails when the subscription was closed elsewhere', async () => {
    let isGone = false
    const { client, peer } = await connect({
      onSubscription: (_, response) =>
        isGone
          ? answerJson(response, { code: 'unknown_subscription' }, { status: 404 })
          : answerJson(response, accepted),
    })
    const events = client.subscribeAaep()
    peer.emit(aaepEvent(0))
    await take(events, 1)
    isGone = true
    peer.drop(4000)
    await expect(events.next()).rejects.toMatchObject({ code: 'unknown_subscription' })
  })

  test.each([
    ['capabilities_incompatible', 4001, 'bad_request', 422],
    ['authorization_denied', 4003, 'forbidden', 403],
  ])('throws the rejection %s', async (reason, close, code, status) => {
    const { client, peer } = await connect({
      onRequest(_, socket) {
        socket.send(rejected(reason))
        socket.close(close)
      },
    })
    const events = client.subscribeAaep()
    await expect(events.next()).rejects.toMatchObject({
      code,
      message: 'Not like this.',
      details: { reason_code: reason, status },
    })
    expect(peer.taken).toHaveLength(1)
  })

  test('comes back to a gateway that stops, after the wait that it asks for', async () => {
    const clock = createDrivenClock()
    let refusals = 1
    const { client, peer } = await connect(
      {
        onRequest(_, socket) {
          if (refusals-- > 0) {
            socket.send(rejected('transport_unavailable', { retry_after_seconds: 5 }))
            socket.close(4001)
          } else socket.send(JSON.stringify(accepted))
        },
      },
      { clock },
    )
    const waits: number[] = []
    const events = client.subscribeAaep(
      {},
      {
        onConnection(state) {
          if (state.status !== 'waiting') return
          waits.push(state.untilMs - clock.now())
          clock.nextTimer().then((waitMs) => clock.advance(waitMs))
        },
      },
    )
    const next = events.next()
    await peer.connected(2)
    expect(waits).toEqual([5_000])
    await events.return()
    await next
  })

  test('comes back with another credential when the one that it had has ended', async () => {
    let isFirst = true
    const tokens = ['old', 'old', 'old', 'new']
    const { client, peer } = await connect(
      {
        onRequest(_, socket) {
          socket.send(JSON.stringify(accepted))
          if (!isFirst) return
          isFirst = false
          socket.send(rejected('authentication_required'))
          socket.close(4002)
        },
      },
      { token: () => tokens.shift() ?? 'new' },
    )
    const events = client.subscribeAaep()
    const next = events.next()
    await peer.connected(2)
    expect(peer.offered.map((offer) => offer.split('bearer.')[1])).toEqual(['b2xk', 'bmV3'])
    await events.return()
    await next
  })

  test('fails when there is no other credential', async () => {
    let isRefused = false
    const { client } = await connect({
      onSubscription: (_, response) =>
        isRefused
          ? answerJson(response, { code: 'token_expired' }, { status: 401 })
          : answerJson(response, accepted),
      onRequest(_, socket) {
        isRefused = true
        socket.send(rejected('authentication_required'))
        socket.close(4002)
      },
    })
    await expect(client.subscribeAaep().next()).rejects.toMatchObject({ code: 'token_expired' })
  })

  test('gives the connection of a slow reader up, and loses nothing', async () => {
    const text = 'x'.repeat(50_000)
    const total = 100
    const { client, peer } = await connect()
    const events = client.subscribeAaep()
    peer.emit(aaepEvent(0, { text }))
    await take(events, 1)
    for (let n = 1; n < total; n++) peer.emit(aaepEvent(n, { text }))
    await peer.emptied()
    expect(await take(events, total - 1)).toEqual(idsUpTo(total).slice(1))
    expect(peer.taken.length).toBeGreaterThan(1)
    await events.return()
  })

  test('asks a gateway that is silent whether it lives, and leaves one that does not answer', async () => {
    const clock = createDrivenClock()
    let answers = true
    let onMessage = () => {}
    class Spied extends WebSocket {
      constructor(url: string, protocols: string[]) {
        super(url, protocols)
        this.on('message', () => onMessage())
      }
    }
    const { client, peer } = await connect(
      { answersProbes: () => answers },
      { clock, heartbeatMs: 1_000, WebSocket: Spied },
    )
    const events = client.subscribeAaep(
      {},
      {
        onConnection({ status }) {
          if (status === 'waiting') clock.nextTimer().then((waitMs) => clock.advance(waitMs))
        },
      },
    )
    peer.emit(aaepEvent(0))
    await take(events, 1)
    const next = events.next()
    for (let count = 1; count <= 5; count++) {
      const answered = new Promise<void>((resolve) => {
        onMessage = resolve
      })
      clock.advance(1_000)
      await answered
      expect(peer.said).toEqual(Array.from({ length: count }, () => ({ type: 'subscription.request' })))
    }
    answers = false
    clock.advance(2_500)
    await peer.connected(2)
    peer.emit(aaepEvent(1))
    expect((await next).value).toMatchObject({ event_id: 'evt_1' })
    await events.return()
  })

  test('does not take the answer to such a question for a refusal when the connection breaks', async () => {
    const { client, peer } = await connect({
      onRequest(_, socket) {
        socket.send(JSON.stringify(accepted))
        socket.send(rejected('unknown'))
        if (peer.taken.length === 1) socket.terminate()
        else socket.send(JSON.stringify(aaepEvent(0)))
      },
    })
    const events = client.subscribeAaep()
    expect(await take(events, 1)).toEqual(['evt_0'])
    expect(peer.taken).toHaveLength(2)
    await events.return()
  })

  test('says the terms again that hold, and not while others are negotiated', async () => {
    let terms = { pace_wpm: 100 }
    let answer = () => {}
    const { client, peer } = await connect({
      onSubscription: (_, response) => answerJson(response, { ...accepted, honored_capabilities: terms }),
      onReply(_, response) {
        answer = () => {
          terms = { pace_wpm: 200 }
          answerJson(response, { ...accepted, honored_capabilities: terms })
        }
      },
    })
    const events = client.subscribeAaep({ pace_wpm: 100 })
    peer.emit(aaepEvent(0))
    await take(events, 1)
    const asked = peer.requests.length
    const renegotiated = events.renegotiate({ pace_wpm: 200 })
    await peer.requested(asked + 1)
    peer.drop()
    const next = events.next()
    await peer.emptied()
    expect(peer.requests).toHaveLength(asked + 1)
    answer()
    expect(await renegotiated).toMatchObject({ honored_capabilities: { pace_wpm: 200 } })
    await peer.connected(2)
    expect(peer.taken.map(({ capabilities }) => capabilities)).toEqual([{ pace_wpm: 100 }, { pace_wpm: 200 }])
    await events.return()
    await next
  })

  test('is left or closed without a trace', async () => {
    const clock = createDrivenClock()
    const { client, peer } = await connect({}, { clock })
    const events = client.subscribeAaep()
    peer.emit(aaepEvent(0))
    await take(events, 1)
    const next = events.next()
    await events.close({ reason: 'The user left.' })
    expect(await next).toEqual({ done: true, value: undefined })
    await peer.emptied()
    expect(clock.timers).toBe(0)
    expect(peer.requests.at(-1)?.url.pathname).toBe('/aaep/v1/replies')
  })

  test('throws the reason of its signal while it connects', async () => {
    const { client, peer } = await connect({ onRequest: () => {} })
    const controller = new AbortController()
    const events = client.subscribeAaep({}, { signal: controller.signal })
    const next = events.next()
    await peer.connected(1)
    controller.abort(new Error('enough'))
    await expect(next).rejects.toThrow('enough')
    await peer.emptied()
  })

  test('is read over server-sent events where the call says so', async () => {
    const { client, peer } = await connect()
    const events = client.subscribeAaep({}, { transport: 'sse' })
    const next = events.next()
    await peer.requested(2)
    expect(peer.requests[1]?.url.pathname).toBe('/aaep/v1/events')
    await events.return()
    await next
  })
})
