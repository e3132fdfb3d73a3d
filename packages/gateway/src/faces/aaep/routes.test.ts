import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { defaultConfig } from '../../config/config.ts'
import { confirmationReply, subscriptionRequest } from '../../testing/aaep-messages.ts'
import { aaepConfirmation, aaepEvent } from '../../testing/sample-lines.ts'
import {
  type EventReader,
  readEvents,
  readJson,
  type StartedGateway,
  startGateway,
} from '../../testing/start-gateway.ts'

const id = 'sess_aaephttp'
const other = 'sess_aaepother'
let gateway: StartedGateway
let readers: EventReader[]

beforeEach(async () => {
  readers = []
  gateway = await startGateway({
    config: {
      origins: ['https://app.example'],
      aaep: { ...defaultConfig.aaep, subscriptionsPerSubject: 2 },
    },
  })
  for (const session of [id, other])
    await gateway.publish(
      session,
      [
        aaepEvent(
          { session, name: 'session.started', id: `of${session.slice(5)}` },
          { summary_normal: 'It begins.' },
        ),
      ],
      '?dialect=aaep',
    )
})
afterEach(async () => {
  for (const reader of readers) await reader.close().catch(() => {})
  await gateway.close()
})

const subscribe = (sessions: readonly string[] | undefined, headers = {}, query = '') =>
  gateway.post(`/aaep/v1/subscriptions${query}`, subscriptionRequest(sessions), headers)

async function subscriptionOf(response: Response): Promise<string> {
  return String((await readJson(response))['subscription_id'])
}

async function read(
  subscription: string,
  query = '',
  headers: object = gateway.asOwner,
): Promise<EventReader> {
  const path = `/aaep/v1/events?subscription_id=${subscription}${query}`
  const reader = readEvents(await gateway.request(path, { headers: { ...headers } }))
  readers.push(reader)
  return reader
}

const end = (session: string) =>
  gateway.publish(
    session,
    [
      aaepEvent(
        { session, name: 'session.completed', id: `end${session.slice(5)}` },
        { summary_normal: 'Done.' },
      ),
    ],
    '?dialect=aaep',
  )

describe('POST /aaep/v1/subscriptions', () => {
  test('answers 201 with where the events are', async () => {
    const response = await subscribe([id])
    expect(response.status).toBe(201)
    expect(response.headers.get('location')).toBe(
      `/aaep/v1/events?subscription_id=${await subscriptionOf(response)}`,
    )
  })

  test('answers the same for the same Idempotency-Key', async () => {
    const [one, two] = await Promise.all([1, 2].map(() => subscribe([id], { 'idempotency-key': 'k' })))
    const again = await subscribe([id], { 'idempotency-key': 'k' })
    expect(again.status).toBe(200)
    expect(again.headers.get('location')).toBe(one?.headers.get('location'))
    const ids = await Promise.all([one, two, again].map((each) => subscriptionOf(each ?? Response.json({}))))
    expect(new Set(ids).size).toBe(1)
  })

  test('lets the one go that nobody reads, and refuses when all are being read', async () => {
    const first = await subscriptionOf(await subscribe([id]))
    const second = await subscriptionOf(await subscribe([id]))
    await (await read(first)).next()
    const third = await subscriptionOf(await subscribe([id]))
    const gone = await gateway.request(`/aaep/v1/subscriptions/${second}`, { headers: gateway.asOwner })
    expect(await readJson(gone)).toMatchObject({ code: 'unknown_subscription' })
    await (await read(third)).next()
    const refused = await subscribe([id])
    expect(refused.status).toBe(429)
    expect(refused.headers.get('retry-after')).toBe('60')
    expect(await readJson(refused)).toMatchObject({ reason_code: 'rate_limit', retry_after_seconds: 60 })
  })

  test.each([
    ['no JSON', '{', {}, 400, 'unknown'],
    ['another type', '{"type":"confirmation.reply"}', {}, 400, 'unknown'],
    ['a wrong media type', '{}', { 'content-type': 'text/plain' }, 400, 'unknown'],
    ['a wrong credential', '{}', { authorization: 'Bearer wrong' }, 401, 'authentication_required'],
    ['a strange page', '{}', { origin: 'https://evil.example' }, 403, 'authorization_denied'],
  ])('rejects %s', async (_, body, headers, status, reason) => {
    const response = await gateway.post('/aaep/v1/subscriptions', body, headers)
    expect(response.status).toBe(status)
    expect(response.headers.get('content-type')).toContain('application/json')
    expect(response.headers.get('www-authenticate')).toBe(status === 401 ? 'Bearer' : null)
    expect(await readJson(response)).toMatchObject({ type: 'subscription.rejected', reason_code: reason })
  })

  test('rejects a choice of sessions that is none', async () => {
    const response = await subscribe(undefined, {}, '?session=nothing')
    expect(response.status).toBe(422)
    expect(await readJson(response)).toMatchObject({ reason_code: 'capabilities_incompatible' })
  })
})

describe('GET /aaep/v1/events', () => {
  test('frames with name, id and one line, or plainly', async () => {
    const subscription = await subscriptionOf(await subscribe([id]))
    const named = await read(subscription)
    const event = await named.next()
    expect(named.response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8')
    expect(event?.event).toBe('aaep.event')
    expect(JSON.parse(event?.data ?? '')).toMatchObject({ event_id: event?.id })
    expect(named.text).toMatch(/^event: aaep\.event\nid: evt_\w+\ndata: \{.*\}\n\n$/)
    const plain = await read(subscription, '&framing=plain')
    await plain.next()
    expect(plain.text).not.toContain('event:')
    expect((await read(subscription, '&framing=odd')).response.status).toBe(400)
  })

  test('ends cleanly behind the last session, and is 204 from there', async () => {
    const subscription = await subscriptionOf(await subscribe([id]))
    const reader = await read(subscription)
    const started = await reader.next()
    await end(id)
    const rest = await reader.rest()
    expect(rest.at(-1)?.data).toContain('session.completed')
    const again = await read(subscription, '', { ...gateway.asOwner, 'last-event-id': rest.at(-1)?.id ?? '' })
    expect(again.response.status).toBe(204)
    const before = await read(subscription, '', { ...gateway.asOwner, 'last-event-id': started?.id ?? '' })
    expect(await before.rest()).toHaveLength(rest.length)
  })

  test('ends cleanly when the subscription is closed, and is 404 from there', async () => {
    const subscription = await subscriptionOf(await subscribe([id]))
    const reader = await read(subscription)
    await reader.next()
    const path = `/aaep/v1/subscriptions/${subscription}`
    expect((await gateway.request(path, { method: 'DELETE', headers: gateway.asOwner })).status).toBe(204)
    expect(await reader.next()).toBeUndefined()
    expect((await read(subscription)).response.status).toBe(404)
  })

  test('says when to come back when the gateway stops, and the stream breaks off', async () => {
    const reader = await read(await subscriptionOf(await subscribe([id])))
    await reader.next()
    const closing = gateway.gateway.close()
    await expect(reader.next()).rejects.toThrow()
    expect(reader.text).toMatch(/retry: \d+\n/)
    await closing
  })

  test('is nobody else’s', async () => {
    const subscription = await subscriptionOf(await subscribe([id]))
    expect((await read(subscription, '', {})).response.status).toBe(404)
    expect((await read('sub_none')).response.status).toBe(404)
  })
})

describe('a browser', () => {
  test('reads with a login', async () => {
    const login = await gateway.post('/v1/login')
    const authorization = `Bearer ${(await readJson(login))['token']}`
    const reader = await read(await subscriptionOf(await subscribe([id])), '', { authorization })
    expect((await reader.next())?.data).toContain('session.started')
  })

  test('reads with a ticket for the subscription, which does nothing else', async () => {
    const subscription = await subscriptionOf(await subscribe(undefined, {}, '?after=start'))
    const { ticket } = await readJson(await gateway.post('/v1/tickets', { subscription }))
    const reader = await read(subscription, `&ticket=${ticket}`, {})
    await end(id)
    expect((await reader.next())?.data).toContain('agent')
    const ask = async (method: string, path: string, body?: object): Promise<number> => {
      const init = { method, headers: { 'content-type': 'application/json' } }
      const target = `${path}${path.includes('?') ? '&' : '?'}ticket=${ticket}`
      const sent = body === undefined ? init : { ...init, body: JSON.stringify(body) }
      return (await gateway.request(target, sent)).status
    }
    const second = await subscriptionOf(await subscribe([id]))
    expect(await ask('GET', `/aaep/v1/events?subscription_id=${second}`)).toBe(403)
    expect(await ask('GET', `/v1/sessions/${id}/events`)).toBe(403)
    expect(await ask('GET', '/v1/sessions')).toBe(403)
    expect(await ask('GET', '/events')).toBe(403)
    expect(await ask('DELETE', `/aaep/v1/subscriptions/${subscription}`)).toBe(403)
    expect(await ask('POST', '/aaep/v1/replies', confirmationReply('rpl_x', 'accept'))).toBe(403)
    expect(await ask('POST', '/aaep/v1/subscriptions', subscriptionRequest([id]))).toBe(403)
    expect(await ask('POST', '/v1/tickets', { subscription })).toBe(403)
  })

  test('gets no ticket for a subscription of somebody else, or for two things', async () => {
    const subscription = await subscriptionOf(await subscribe([id]))
    const anonymously = { authorization: '' }
    expect((await gateway.post('/v1/tickets', { subscription }, anonymously)).status).not.toBe(200)
    expect((await gateway.post('/v1/tickets', { subscription: 'sub_none' })).status).toBe(404)
    expect((await gateway.post('/v1/tickets', { subscription, session: id })).status).toBe(400)
    expect((await gateway.post('/v1/tickets', {})).status).toBe(400)
  })

  test('reads with a ticket for a session what names this session alone', async () => {
    const mine = await subscriptionOf(await subscribe([id]))
    const both = await subscriptionOf(await subscribe([id, other]))
    const { ticket } = await readJson(await gateway.post('/v1/tickets', { session: id }))
    expect((await (await read(mine, `&ticket=${ticket}`, {})).next())?.data).toContain('session.started')
    expect((await read(both, `&ticket=${ticket}`, {})).response.status).toBe(404)
    const native = await readJson(await gateway.post('/v1/tickets', { session: id, dialect: 'sluice' }))
    expect((await read(mine, `&ticket=${native['ticket']}`, {})).response.status).toBe(404)
  })

  test('asks first where it comes from another page', async () => {
    for (const path of ['/aaep/v1/subscriptions', '/aaep/v1/replies', '/aaep/v1/events']) {
      const preflight = await gateway.request(path, {
        method: 'OPTIONS',
        headers: { origin: 'https://app.example', 'access-control-request-method': 'POST' },
      })
      expect(preflight.status).toBe(204)
      expect(preflight.headers.get('access-control-allow-headers')).toContain('Idempotency-Key')
      expect((await gateway.request(path, { method: 'HEAD' })).status).toBe(405)
    }
    const manifest = await gateway.request('/.well-known/aaep-manifest.json', {
      headers: { origin: 'https://app.example' },
    })
    expect(manifest.headers.get('vary')).toContain('Origin')
    expect(manifest.headers.get('access-control-allow-origin')).toBe('https://app.example')
  })
})

describe('POST /aaep/v1/replies', () => {
  test('takes what is well-formed, and says whether it counted', async () => {
    await gateway.publish(id, [aaepConfirmation(id, 'ask', 'rpl_q')], '?dialect=aaep')
    const counted: unknown[] = []
    for (const token of ['rpl_none', 'rpl_q', 'rpl_q']) {
      const reply = await gateway.post('/aaep/v1/replies', confirmationReply(token, 'accept'))
      expect(reply.status).toBe(204)
      counted.push(reply.headers.get('sluice-counted'))
    }
    expect(counted).toEqual(['false', 'true', 'false'])
    const { questions } = await readJson(await gateway.request(`/v1/sessions/${id}/questions`))
    expect(questions).toMatchObject([{ decision: 'accept', by: 'local', via: 'aaep' }])
    const malformed = { ...confirmationReply('rpl_q', 'accept'), decision: 7 }
    expect((await gateway.post('/aaep/v1/replies', malformed)).status).toBe(400)
    expect((await gateway.post('/aaep/v1/replies', '[]')).status).toBe(400)
  })

  test('renegotiates and closes', async () => {
    const subscription_id = await subscriptionOf(await subscribe([id]))
    const say = (type: string, more = {}) =>
      gateway.post('/aaep/v1/replies', { type, subscription_id, ...more })
    const accepted = await say('subscription.renegotiate', { capabilities: { pace_wpm: 100 } })
    expect(accepted.status).toBe(200)
    expect(await readJson(accepted)).toMatchObject({ honored_capabilities: { pace_wpm: 100 } })
    const bye = { reason_code: 'a', reason_message: 'b' }
    expect((await say('subscription.close', bye)).status).toBe(204)
    expect((await say('subscription.close', bye)).status).toBe(404)
  })
})

test('what is delivered is counted by transport and dialect', async () => {
  const reader = await read(await subscriptionOf(await subscribe([id])))
  await reader.next()
  const metrics = await (await gateway.request('/metrics')).text()
  expect(metrics).toContain('sluice_delivered_frames_total{transport="sse",dialect="aaep"} 1')
  expect(metrics).toContain('sluice_subscribers{transport="sse"} 1')
  expect(metrics).toMatch(/sluice_http_request_seconds_count\{route="\/aaep\/v1\/events",.*status="200"\} 1/)
})
