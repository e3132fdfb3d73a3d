import { encodeSse, SluiceError } from '@sluice/protocol'
import { createDrivenClock } from '@sluice/protocol/testing'
import fc from 'fast-check'
import { afterEach, describe, expect, test } from 'vitest'
import { type ClientOptions, createClient } from '../client.ts'
import type { ConnectionState } from '../connection-state.ts'
import {
  type AaepPeer,
  type AaepPeerOptions,
  aaepEvent,
  accepted,
  startAaepPeer,
} from '../testing/aaep-peer.ts'
import { answerJson, openSse, type PeerHandler } from '../testing/peer.ts'
import { runs } from '../testing/runs.ts'

let peer: AaepPeer | undefined
afterEach(() => peer?.close())

/** A client that does not wait between attempts. */
async function connect(options: AaepPeerOptions = {}, given: Partial<ClientOptions> = {}) {
  peer = await startAaepPeer(options)
  return { client: createClient({ url: peer.url, random: () => 0, ...given }), peer }
}

/** The ids of the next events. */
async function take(events: AsyncIterator<{ readonly event_id: string }>, count: number): Promise<string[]> {
  const ids: string[] = []
  while (ids.length < count) ids.push((await events.next()).value?.event_id)
  return ids
}

/** Handlers for successive requests; the last one stays. */
const inTurn = (...handlers: PeerHandler[]): PeerHandler => {
  let turn = 0
  return (request, response) => handlers[Math.min(turn++, handlers.length - 1)]?.(request, response)
}

const rejected = (reason_code: string, more: object = {}) => ({
  type: 'subscription.rejected',
  reason_code,
  reason_message: 'Not like this.',
  ...more,
})

const confirmation = aaepEvent(1, { type: 'aaep:agent.awaiting.confirmation', reply_token: 'rpl_1' })
const clarification = aaepEvent(2, { type: 'aaep:agent.awaiting.clarification', reply_token: 'rpl_2' })
const question = ({ type, reply_token }: Record<string, unknown>) => ({ type: String(type), reply_token })

describe('subscribeAaep()', () => {
  test('asks on its terms and yields events', async () => {
    const { client, peer } = await connect()
    const events = client.subscribeAaep(
      { max_events_per_second: 2, languages: ['de'] },
      { sessions: ['sess_a'], after: 'now', subscriber: { id: 'reader', name: 'Reader', version: '2' } },
    )
    expect(await events.accepted).toEqual(accepted)
    peer.emit(aaepEvent(1))
    expect((await events.next()).value).toEqual(aaepEvent(1))
    expect(peer.posted('subscriptions')).toEqual([
      {
        type: 'subscription.request',
        aaep_version: '1.0.0',
        subscriber_id: 'reader',
        subscriber_name: 'Reader',
        subscriber_version: '2',
        capabilities: { max_events_per_second: 2, languages: ['de'] },
        extensions: { sluice: { sessions: ['sess_a'], after: 'now' } },
      },
    ])
    const reading = peer.requests.find(({ url }) => url.pathname === '/aaep/v1/events')
    expect(reading?.url.search).toBe('?subscription_id=sub_1')
    expect(reading?.headers['last-event-id']).toBeUndefined()
    await events.return()
  })

  test('goes on behind the last event after every cut, and hands each on once', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat(4), { minLength: 1, maxLength: 6 }), async (bursts) => {
        const { client, peer } = await connect()
        try {
          const events = client.subscribeAaep()
          let n = 0
          for (const burst of bursts) {
            const from = n
            for (let i = 0; i <= burst; i++) peer.emit(aaepEvent(n++))
            const wanted = Array.from({ length: n - from }, (_, i) => `evt_${from + i}`)
            expect(await take(events, n - from)).toEqual(wanted)
            peer.drop()
          }
          expect(peer.posted('subscriptions')).toHaveLength(1)
          await events.return()
        } finally {
          await peer.close()
        }
      }),
      { numRuns: runs(15) },
    )
  })

  test('passes over what a producer sends again', async () => {
    const all = (response: Parameters<PeerHandler>[1], ...ns: number[]) => {
      openSse(response).end(
        ns.map((n) => encodeSse({ id: `evt_${n}`, data: JSON.stringify(aaepEvent(n)) })).join(''),
      )
    }
    const { client, peer } = await connect({
      onEvents: inTurn(
        (_, response) => all(response, 1, 2),
        (_, response) => all(response, 1, 2, 2, 3),
        (_, response) => response.writeHead(204).end(),
      ),
    })
    const events = client.subscribeAaep()
    expect(await take(events, 3)).toEqual(['evt_1', 'evt_2', 'evt_3'])
    expect((await events.next()).done).toBe(true)
    const lastIds = peer.requests.flatMap(({ url, headers }) =>
      url.pathname === '/aaep/v1/events' ? [headers['last-event-id']] : [],
    )
    expect(lastIds).toEqual([undefined, 'evt_2', 'evt_3'])
  })

  test('takes up a subscription that stands', async () => {
    const { client, peer } = await connect()
    for (const n of [1, 2, 3]) peer.emit(aaepEvent(n))
    const events = client.subscribeAaep({}, { subscription: 'sub_1', lastEventId: 'evt_2' })
    expect(await take(events, 1)).toEqual(['evt_3'])
    expect(await events.accepted).toEqual(accepted)
    expect(peer.requests[0]?.url.pathname).toBe('/aaep/v1/subscriptions/sub_1')
    expect(peer.posted('subscriptions')).toEqual([])
    await events.return()
  })

  test.each([
    ['version_unsupported', 422, 'bad_request'],
    ['capabilities_incompatible', 422, 'bad_request'],
    ['rate_limit', 429, 'rate_limited'],
    ['authentication_required', 401, 'unauthenticated'],
    ['authorization_denied', 403, 'forbidden'],
    ['unknown', 400, 'bad_request'],
  ])('rejects with the reason %s', async (reason, status, code) => {
    const { client, peer } = await connect({
      onSubscribe: (_, response) =>
        answerJson(response, rejected(reason, { retry_after_seconds: 9 }), { status }),
    })
    const events = client.subscribeAaep()
    const error = {
      code,
      message: 'Not like this.',
      details: { reason_code: reason, status, retryAfterMs: 9_000 },
    }
    await expect(events.accepted).rejects.toMatchObject(error)
    await expect(events.next()).rejects.toMatchObject(error)
    expect(await events.next()).toEqual({ done: true, value: undefined })
    expect(peer.requests).toHaveLength(1)
    await events.close()
  })

  test('asks again while the gateway is going or away, under one key', async () => {
    const { client, peer } = await connect({
      onSubscribe: inTurn(
        (_, response) => response.socket?.resetAndDestroy(),
        (_, response) => answerJson(response, rejected('transport_unavailable'), { status: 503 }),
        (_, response) => answerJson(response, accepted, { status: 201 }),
      ),
    })
    const states: ConnectionState['status'][] = []
    const events = client.subscribeAaep({}, { onConnection: ({ status }) => states.push(status) })
    expect(await events.accepted).toEqual(accepted)
    const keys = peer.requests.map(({ headers }) => headers['idempotency-key'])
    expect(new Set(keys).size).toBe(1)
    expect(states).toEqual(['connecting', 'waiting', 'connecting', 'waiting', 'connecting'])
    await events.return()
  })

  test('asks again when no answer comes', async () => {
    const clock = createDrivenClock()
    const { client, peer } = await connect(
      {
        onSubscribe: inTurn(
          () => {},
          (_, response) => answerJson(response, accepted, { status: 201 }),
        ),
      },
      { clock },
    )
    const events = client.subscribeAaep()
    await peer.requested(1)
    const waiting = clock.nextTimer()
    clock.advance(30_000)
    await waiting
    clock.advance(0)
    expect(await events.accepted).toEqual(accepted)
    await events.return()
  })

  test('throws the reason of its signal, also while it waits for the handshake', async () => {
    const { client, peer } = await connect({ onSubscribe: () => {} })
    const controller = new AbortController()
    const events = client.subscribeAaep({}, { signal: controller.signal })
    const next = events.next()
    await peer.requested(1)
    const reason = new Error('enough')
    controller.abort(reason)
    await expect(next).rejects.toBe(reason)
    await expect(events.accepted).rejects.toBe(reason)
  })

  test('is left while it waits, and keeps the subscription', async () => {
    const { client, peer } = await connect()
    const events = client.subscribeAaep()
    const next = events.next()
    await events.accepted
    await peer.requested(2)
    await events.return()
    expect(await next).toEqual({ done: true, value: undefined })
    expect(peer.posted('replies')).toEqual([])
  })
})

describe('reply()', () => {
  test('answers a question of either kind', async () => {
    const clock = createDrivenClock(Date.UTC(2026, 0, 2))
    const { client, peer } = await connect({}, { clock })
    const events = client.subscribeAaep()
    await events.reply(question(confirmation), 'accept', { decidedBy: 'ada', rationale: 'Checked.' })
    await events.reply(question(clarification), 42)
    const about = { subscription_id: 'sub_1', timestamp: '2026-01-02T00:00:00.000Z' }
    expect(peer.posted('replies')).toEqual([
      {
        type: 'confirmation.reply',
        reply_token: 'rpl_1',
        decision: 'accept',
        decided_by: 'ada',
        decision_rationale: 'Checked.',
        ...about,
      },
      { type: 'clarification.reply', reply_token: 'rpl_2', response: 42, ...about },
    ])
    await events.return()
  })

  test('is refused for what is no question', async () => {
    const { client } = await connect()
    const events = client.subscribeAaep()
    await expect(events.reply({ type: 'aaep:agent.state.changed' }, 'accept')).rejects.toMatchObject({
      code: 'bad_request',
    })
    await events.return()
  })
})

describe('renegotiate()', () => {
  test('answers the terms from then on', async () => {
    const { client, peer } = await connect()
    const events = client.subscribeAaep()
    expect(await events.renegotiate({ cognitive_load: 'low' })).toEqual(accepted)
    expect(peer.posted('replies')).toEqual([
      {
        type: 'subscription.renegotiate',
        subscription_id: 'sub_1',
        capabilities: { cognitive_load: 'low' },
      },
    ])
    await events.return()
  })

  test('ends the subscription when it is refused', async () => {
    const { client } = await connect({
      onReply: (_, response) => answerJson(response, rejected('capabilities_incompatible'), { status: 422 }),
    })
    const events = client.subscribeAaep()
    const next = events.next()
    const refusal = { code: 'bad_request', details: { reason_code: 'capabilities_incompatible' } }
    await expect(events.renegotiate({ pace_wpm: 50 })).rejects.toMatchObject(refusal)
    await expect(next).rejects.toMatchObject(refusal)
  })

  test('leaves the subscription as it is when no gateway takes it', async () => {
    const { client, peer } = await connect({
      onReply: (_, response) => answerJson(response, rejected('transport_unavailable'), { status: 503 }),
    })
    const events = client.subscribeAaep()
    await expect(events.renegotiate({ pace_wpm: 50 })).rejects.toBeInstanceOf(SluiceError)
    peer.emit(aaepEvent(1))
    expect(await take(events, 1)).toEqual(['evt_1'])
    await events.return()
  })
})

describe('close()', () => {
  test('gives the subscription up and ends the iteration', async () => {
    const { client, peer } = await connect()
    const events = client.subscribeAaep()
    await events.accepted
    const next = events.next()
    await events.close({ reason: 'The user left.' })
    expect(await next).toEqual({ done: true, value: undefined })
    expect(peer.posted('replies')).toEqual([
      {
        type: 'subscription.close',
        subscription_id: 'sub_1',
        reason_code: 'subscriber_shutdown',
        reason_message: 'The user left.',
      },
    ])
  })

  test('leaves no timer behind', async () => {
    const clock = createDrivenClock()
    const { client, peer } = await connect({}, { clock })
    const events = client.subscribeAaep()
    peer.emit(aaepEvent(1))
    await take(events, 1)
    await events.close()
    expect(clock.timers).toBe(0)
  })
})
