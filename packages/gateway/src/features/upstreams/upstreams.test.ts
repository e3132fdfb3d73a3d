import { createMemoryLog } from '@sluice/log'
import type { JsonObject } from '@sluice/protocol'
import { afterEach, describe, expect, test } from 'vitest'
import { defaultConfig, type UpstreamConfig } from '../../config/config.ts'
import { aaepConfirmation, aaepEvent } from '../../testing/sample-lines.ts'
import {
  type ScriptedProducer,
  type ScriptOptions,
  startScriptedProducer,
} from '../../testing/scripted-producer.ts'
import {
  readEvents,
  readJson,
  type StartedGateway,
  type StartOptions,
  startGateway,
} from '../../testing/start-gateway.ts'
import { until } from '../../testing/until.ts'

/** The longest wait of createBackoff(). */
const maxBackoffMs = 30_000

const open: { close(): Promise<void> }[] = []
afterEach(async () => {
  for (const each of open.splice(0).reverse()) await each.close()
})

/** Closes what was opened last. */
const closeLast = async (): Promise<void> => open.pop()?.close()

async function startProducer(options: ScriptOptions = {}): Promise<ScriptedProducer> {
  const producer = await startScriptedProducer(options)
  open.push(producer)
  return producer
}

async function follow(
  upstreams: readonly (Partial<UpstreamConfig> & { readonly url: string })[],
  { log = createMemoryLog(), guests = {} }: Pick<StartOptions, 'log' | 'guests'> = {},
): Promise<StartedGateway> {
  const config = {
    aaep: { ...defaultConfig.aaep, upstreams: upstreams.map((each) => ({ allowPrivate: true, ...each })) },
  }
  // The clock does not move while a test polls.
  const gateway = await startGateway({ config, log, guests, limits: { requestsPerSecond: 1_000_000 } })
  open.push(gateway)
  return gateway
}

/** The AAEP events of a session that are stored so far. */
async function eventsOf(gateway: StartedGateway, session: string): Promise<readonly JsonObject[]> {
  const response = await gateway.request(`/v1/sessions/${session}/events?dialect=aaep&live=false`, {
    headers: { accept: 'application/x-ndjson' },
  })
  if (response.status !== 200) return []
  const text = await response.text()
  return text.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line) as JsonObject])) // our own frames
}

const idsOf = async (gateway: StartedGateway, session: string): Promise<readonly unknown[]> =>
  (await eventsOf(gateway, session)).map(({ event_id }) => event_id)

const started = (session: string, id: string, more = {}) =>
  aaepEvent({ session, name: 'session.started', id }, { summary_normal: 'It begins.', ...more })
const chunk = (
  session: string,
  { id, position, text }: { readonly id: string; readonly position: number; readonly text: string },
  more = {},
) => aaepEvent({ session, name: 'output.streaming', id }, { chunk: text, position, complete: false, ...more })

/** Connects a client that can answer. */
async function attend(gateway: StartedGateway, session: string) {
  const reader = readEvents(
    await gateway.request(`/v1/sessions/${session}/events`, {
      headers: { accept: 'text/event-stream', ...gateway.asOwner },
    }),
  )
  open.push(reader)
  return reader
}

const answer = (
  gateway: StartedGateway,
  {
    session,
    token,
    decision,
  }: { readonly session: string; readonly token: string; readonly decision: string },
) => gateway.post(`/v1/sessions/${session}/answers`, { token, decision })

describe('an upstream', () => {
  test('is subscribed to for everything, and its events are in the sessions that they name', async () => {
    const producer = await startProducer()
    const gateway = await follow([{ url: producer.url, token: 'secret', labels: { from: 'there' } }])
    producer.emit(
      started('sess_a', '1'),
      started('sess_b', '2'),
      chunk('sess_a', { id: '3', position: 0, text: 'Hello.' }),
    )
    await until(async () => (await idsOf(gateway, 'sess_a')).length === 2)
    expect(await idsOf(gateway, 'sess_a')).toEqual(['evt_1', 'evt_3'])
    expect(await idsOf(gateway, 'sess_b')).toEqual(['evt_2'])
    expect(producer.posted('subscription.request')).toEqual([
      expect.objectContaining({
        aaep_version: '1.0.0',
        subscriber_id: 'sluice',
        capabilities: expect.objectContaining({
          supports_confirmation_reply: false,
          supports_clarification_reply: false,
          event_filters: { include: ['*'], exclude: [] },
        }),
      }),
    ])
    for (const { headers } of producer.requests) expect(headers.authorization).toBe('Bearer secret')
    const { sessions } = await readJson(await gateway.request('/v1/sessions'))
    expect(sessions).toEqual(
      expect.arrayContaining([
        expect.objectContaining({
          id: 'sess_a',
          owner: `upstream:${producer.url}`,
          labels: { from: 'there' },
        }),
      ]),
    )
    const metrics = await (await gateway.request('/metrics')).text()
    expect(metrics).toContain('sluice_upstreams{state="connected"} 1\n')
    expect(metrics).toContain('sluice_upstream_events_total{verdict="accepted"} 3\n')
  })

  test('that repeats its events after a cut adds none, and is read behind the last one', async () => {
    const producer = await startProducer()
    const gateway = await follow([{ url: producer.url }])
    producer.emit(started('sess_a', '1'), chunk('sess_a', { id: '2', position: 0, text: 'One. ' }))
    await until(async () => (await idsOf(gateway, 'sess_a')).length === 2)
    producer.cut()
    await until(() => producer.readers === 0)
    await until(() => {
      gateway.clock.advance(maxBackoffMs)
      return producer.readers > 0
    })
    producer.emit(chunk('sess_a', { id: '3', position: 5, text: 'Two.' }))
    await until(async () => (await idsOf(gateway, 'sess_a')).length === 3)
    expect(await idsOf(gateway, 'sess_a')).toEqual(['evt_1', 'evt_2', 'evt_3'])
    const reads = producer.requests.filter(({ method }) => method === 'GET')
    expect(reads.map(({ headers }) => headers['last-event-id'])).toEqual([undefined, 'evt_2'])
    expect(producer.posted('subscription.request')).toHaveLength(1)
  })

  test('that joins text otherwise after a cut has it stored once', async () => {
    const producer = await startProducer()
    const gateway = await follow([{ url: producer.url }])
    producer.emit(started('sess_a', '1'), chunk('sess_a', { id: '2', position: 0, text: 'One. ' }))
    await until(async () => (await idsOf(gateway, 'sess_a')).length === 2)
    producer.cut()
    await until(() => {
      gateway.clock.advance(maxBackoffMs)
      return producer.requests.filter(({ method }) => method === 'GET').length === 2 && producer.readers === 1
    })
    producer.emit(
      chunk('sess_a', { id: '4', position: 0, text: 'One. Two.' }),
      chunk('sess_a', { id: '5', position: 9, text: ' Three.' }, { complete: true }),
    )
    await until(async () => (await idsOf(gateway, 'sess_a')).includes('evt_5'))
    const chunks = (await eventsOf(gateway, 'sess_a')).flatMap(({ chunk: text }) =>
      text === undefined ? [] : [text],
    )
    expect(chunks.join('')).toBe('One. Two. Three.')
  })

  test('goes on behind its last event after a restart of the gateway', async () => {
    const producer = await startProducer()
    const log = createMemoryLog()
    const first = await follow([{ url: producer.url }], { log })
    producer.emit(started('sess_a', '1'))
    await until(async () => (await idsOf(first, 'sess_a')).length === 1)
    await closeLast()
    await until(() => producer.readers === 0)
    const second = await follow([{ url: producer.url }], { log })
    producer.emit(chunk('sess_a', { id: '2', position: 0, text: 'On.' }))
    await until(async () => (await idsOf(second, 'sess_a')).length === 2)
    expect(producer.posted('subscription.request')).toHaveLength(1)
    const reads = producer.requests.filter(({ method }) => method === 'GET')
    expect(reads.map(({ path }) => path)).toEqual(Array(2).fill('/aaep/v1/events?subscription_id=sub_1'))
    expect(reads.at(-1)?.headers['last-event-id']).toBe('evt_1')
  })

  test('that has forgotten the subscription is asked for another one', async () => {
    let isForgotten = true
    const producer = await startProducer({
      answer: ({ path }) => (isForgotten && path.endsWith('=sub_1') ? { status: 404 } : undefined),
    })
    const gateway = await follow([{ url: producer.url }])
    await until(() => {
      gateway.clock.advance(maxBackoffMs)
      return producer.readers === 1
    })
    isForgotten = false
    expect(producer.posted('subscription.request')).toHaveLength(2)
  })

  test('without a handshake is read and answered as the reference programs are', async () => {
    const producer = await startProducer({ isPlain: true })
    const gateway = await follow([{ url: producer.url }])
    producer.emit(started('sess_a', '1'), aaepConfirmation('sess_a', '2', 'rpl_1'))
    await until(async () => (await idsOf(gateway, 'sess_a')).includes('evt_2'))
    expect((await answer(gateway, { session: 'sess_a', token: 'rpl_1', decision: 'accept' })).status).toBe(
      200,
    )
    await until(() => producer.posted('confirmation.reply').length === 1)
    expect(producer.requests.find(({ path }) => path === '/messages')?.body).toEqual({
      type: 'confirmation.reply',
      reply_token: 'rpl_1',
      decision: 'accept',
      subscription_id: expect.stringMatching(/^sub_[a-z0-9]+$/),
      timestamp: new Date(gateway.clock.now()).toISOString(),
    })
  })

  test('is the only one that publishes to its sessions, and to no session of another', async () => {
    const producer = await startProducer()
    const subject = `upstream:${producer.url}`
    const gateway = await follow([{ url: producer.url }], {
      guests: { [subject]: ['publish:*', 'subscribe:*'] },
    })
    const forge = (session: string) =>
      gateway.post(`/v1/sessions/${session}/events?dialect=aaep`, started(session, 'x'), gateway.as(subject))
    expect((await forge('sess_b')).status).toBe(200)
    producer.emit(started('sess_a', '1'), started('sess_b', '2'))
    await until(async () => (await idsOf(gateway, 'sess_a')).includes('evt_1'))
    expect(await readJson(await forge('sess_a'))).toMatchObject({ code: 'session_reserved' })
    expect(await idsOf(gateway, 'sess_b')).toEqual(['evt_x'])
  })

  test('whose session ids another one has too is kept apart', async () => {
    const producers = [await startProducer(), await startProducer()] as const
    const gateway = await follow(producers.map(({ url }) => ({ url })))
    const of = (agent_id: string) => ({ producer: { agent_id } })
    producers[0].emit(started('sess_1', '1', of('north')))
    await until(async () => (await idsOf(gateway, 'sess_1')).length === 1)
    producers[1].emit(started('sess_1', '1', of('south')), aaepConfirmation('sess_1', '2', 'rpl_1'))
    const list = async () =>
      (await readJson(await gateway.request('/v1/sessions')))['sessions'] as JsonObject[] // docs/http-api.md
    await until(async () => (await list()).some(({ questions }) => questions === 1))
    const other = (await list()).find(({ id }) => id !== 'sess_1')
    expect(other).toMatchObject({
      id: expect.stringMatching(/^sess_1alias[0-9a-f]{8}$/),
      owner: `upstream:${producers[1].url}`,
    })
    expect(await idsOf(gateway, 'sess_1')).toEqual(['evt_1'])
    const session = String(other?.['id'])
    for (const event of await eventsOf(gateway, session)) expect(event['session_id']).toBe(session)
    await answer(gateway, { session, token: 'rpl_1', decision: 'reject' })
    await until(() => producers[1].posted('confirmation.reply').length === 1)
    expect(producers[0].posted('confirmation.reply')).toEqual([])
  })

  test('cannot write into a session of somebody else', async () => {
    const producer = await startProducer()
    const gateway = await follow([{ url: producer.url }])
    await gateway.publish('sess_own', [started('sess_own', '1')])
    producer.emit(chunk('sess_own', { id: '9', position: 0, text: 'Injected.' }), started('sess_b', '2'))
    await until(async () => (await idsOf(gateway, 'sess_b')).length === 1)
    expect(await idsOf(gateway, 'sess_own')).toEqual(['evt_1'])
  })

  test('has a default that does harm changed', async () => {
    const producer = await startProducer()
    const gateway = await follow([{ url: producer.url }])
    const question = {
      ...JSON.parse(aaepConfirmation('sess_a', '2', 'rpl_1')),
      default_decision: 'accept',
      irreversible: true,
    }
    producer.emit(started('sess_a', '1'), JSON.stringify(question))
    await until(async () => (await idsOf(gateway, 'sess_a')).includes('evt_2'))
    expect((await eventsOf(gateway, 'sess_a')).at(-1)).toMatchObject({ default_decision: 'reject' })
  })

  test('is not reached at a private address unless that is allowed', async () => {
    const producer = await startProducer()
    const gateway = await follow([{ url: producer.url.replace('http:', 'https:'), allowPrivate: false }])
    await until(() => gateway.clock.timers > 3)
    expect(producer.requests).toEqual([])
  })
})

describe('an answer', () => {
  test('is passed on until it is taken', async () => {
    const statuses = [503, 429, 204]
    const producer = await startProducer({
      answer: ({ body }) =>
        body['type'] === 'confirmation.reply' ? { status: statuses.shift() ?? 500 } : undefined,
    })
    const gateway = await follow([{ url: producer.url }])
    producer.emit(started('sess_a', '1'), aaepConfirmation('sess_a', '2', 'rpl_1'))
    await until(async () => (await idsOf(gateway, 'sess_a')).includes('evt_2'))
    await answer(gateway, { session: 'sess_a', token: 'rpl_1', decision: 'accept' })
    await until(() => {
      gateway.clock.advance(1000)
      return producer.posted('confirmation.reply').length === 3
    })
    expect(producer.posted('confirmation.reply').at(-1)).toMatchObject({
      reply_token: 'rpl_1',
      decision: 'accept',
      subscription_id: 'sub_1',
    })
    await until(async () =>
      (await (await gateway.request('/metrics')).text()).includes(
        'sluice_upstream_replies_total{outcome="delivered"} 1\n',
      ),
    )
  })

  test('that was not taken before a restart is passed on behind it, and only once', async () => {
    let isAway = true
    const producer = await startProducer({
      answer: ({ body }) => (isAway && body['type'] === 'confirmation.reply' ? { status: 503 } : undefined),
    })
    const log = createMemoryLog()
    const first = await follow([{ url: producer.url }], { log })
    producer.emit(started('sess_a', '1'), aaepConfirmation('sess_a', '2', 'rpl_1'))
    await until(async () => (await idsOf(first, 'sess_a')).includes('evt_2'))
    await answer(first, { session: 'sess_a', token: 'rpl_1', decision: 'accept' })
    await until(() => producer.posted('confirmation.reply').length === 1)
    await closeLast()
    isAway = false
    const second = await follow([{ url: producer.url }], { log })
    await until(() => producer.posted('confirmation.reply').length === 2)
    await until(async () =>
      (await (await second.request('/metrics')).text()).includes('outcome="delivered"} 1\n'),
    )
    await closeLast()
    const third = await follow([{ url: producer.url }], { log })
    // Earlier answers are sent before anything else.
    producer.emit(chunk('sess_a', { id: '3', position: 0, text: 'On.' }))
    await until(async () => (await idsOf(third, 'sess_a')).includes('evt_3'))
    expect(producer.posted('confirmation.reply')).toHaveLength(2)
  })

  test('comes to nothing when the session is over', async () => {
    const producer = await startProducer({
      answer: ({ body }) => (body['type'] === 'confirmation.reply' ? { status: 503 } : undefined),
    })
    const gateway = await follow([{ url: producer.url }])
    producer.emit(started('sess_a', '1'), aaepConfirmation('sess_a', '2', 'rpl_1'))
    await until(async () => (await idsOf(gateway, 'sess_a')).includes('evt_2'))
    await answer(gateway, { session: 'sess_a', token: 'rpl_1', decision: 'accept' })
    await until(() => producer.posted('confirmation.reply').length === 1)
    producer.emit(
      aaepEvent({ session: 'sess_a', name: 'session.completed', id: '3' }, { summary_normal: 'Done.' }),
    )
    await until(async () => {
      gateway.clock.advance(maxBackoffMs)
      return (await (await gateway.request('/metrics')).text()).includes('replies_total{outcome="late"} 1\n')
    })
  })
})

describe('that questions can be answered', () => {
  test('is told upstream while somebody here can', async () => {
    const producer = await startProducer()
    const gateway = await follow([{ url: producer.url }])
    producer.emit(started('sess_a', '1'))
    await until(async () => (await idsOf(gateway, 'sess_a')).length === 1)
    const told = () => producer.posted('subscription.renegotiate').map(({ capabilities }) => capabilities)
    const reader = await attend(gateway, 'sess_a')
    await until(() => told().length === 1)
    expect(told()).toEqual([{ supports_confirmation_reply: true, supports_clarification_reply: true }])
    await reader.close()
    await until(() => {
      gateway.clock.advance(10_000)
      return told().length === 2
    })
    expect(told()[1]).toEqual({ supports_confirmation_reply: false, supports_clarification_reply: false })
  })
})
