import { createClient, type FrameOf, type SubscriptionItem } from '@sluice/client'
import { omitUndefined, type SluiceEvent } from '@sluice/protocol'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { collect } from '../../packages/client/src/testing/collect.ts'
import { runs } from '../../packages/client/src/testing/runs.ts'
import { type ProxyCut, startCuttingProxy } from './cutting-proxy.ts'
import { localKey, type StartedGateway, startGateway } from './start-gateway.ts'

let gateway: StartedGateway
beforeAll(async () => {
  gateway = await startGateway()
})
afterAll(() => gateway?.close())

const clientOf = (url: string) => createClient({ url, token: localKey, WebSocket, random: () => 0 })
let sessions = 0
const newSession = () => `sess_client${sessions++}`

const delta = (text: string): { events: SluiceEvent[] } => ({
  events: [{ kind: 'text-delta', output: 'answer', take: 0, text, position: 0, channel: 'answer' }],
})
const end: { events: SluiceEvent[] } = { events: [{ kind: 'session-end', outcome: 'completed' }] }
const words = (count: number) => Array.from({ length: count }, (_, n) => delta(`word${n} `))

const textIn = (events: readonly SluiceEvent[]) =>
  events.map((event) => (event.kind === 'text-delta' ? event.text : '')).join('')
const textsOf = (frames: readonly { events: readonly SluiceEvent[] }[]) =>
  frames.map(({ events }) => textIn(events)).join('')

type Item = SubscriptionItem<FrameOf<'sluice'>>
const textOf = (items: readonly Item[]) =>
  textsOf(items.flatMap((item) => (item.type === 'frame' ? [item.frame] : [])))
const seqsOf = (items: readonly Item[]) =>
  items.flatMap((item) => (item.type === 'frame' ? [item.frame.seq] : []))

describe.each(['sse', 'ws'] as const)('a subscription over %s', (transport) => {
  test('follows a session live from its start to its end', async () => {
    const client = clientOf(gateway.url)
    const session = newSession()
    await client.sessions.create({ id: session })
    const statuses: string[] = []
    let isLive = () => {}
    const live = new Promise<void>((resolve) => {
      isLive = resolve
    })
    const onConnection = ({ status }: { status: string }) => {
      statuses.push(status)
      if (status === 'live') isLive()
    }
    const reading = collect(client.subscribe(session, { transport, onConnection }))
    await live
    const publisher = client.publisher(session, { dialect: 'sluice' })
    for (const event of [...words(500), end]) publisher.send(event)
    await publisher.close()
    const items = await reading
    expect(textOf(items)).toBe(textsOf(words(500)))
    expect(items.at(-1)).toEqual({ type: 'end', outcome: 'completed', cursor: '500' })
    expect(statuses).toEqual(['connecting', 'catching-up', 'live', 'closed'])
  })

  test('tells how a session ended to who reads behind its end', async () => {
    const client = clientOf(gateway.url)
    const session = newSession()
    await client.publish(session, [delta('Hi')], { dialect: 'sluice' })
    const { cursor } = await client.sessions.end(session, { outcome: 'cancelled' })
    for (const after of [cursor, 'now'])
      expect(await collect(client.subscribe(session, { transport, after }))).toEqual([
        { type: 'end', outcome: 'cancelled', cursor },
      ])
  })

  test('surfaces a gap and reads from the start', async () => {
    const client = clientOf(gateway.url)
    const session = newSession()
    await client.publish(session, [delta('Hi'), end], { dialect: 'sluice' })
    const items = await collect(client.subscribe(session, { transport, after: '70' }))
    expect(items[0]).toMatchObject({ type: 'gap', requested: '70', head: '1' })
    expect(seqsOf(items)).toEqual([0, 1])
  })

  test('throws for a session that does not exist, and for one that is deleted meanwhile', async () => {
    const client = clientOf(gateway.url)
    await expect(client.subscribe('sess_none', { transport }).next()).rejects.toMatchObject({
      code: 'unknown_session',
    })
    const session = newSession()
    await client.publish(session, [delta('Hi')], { dialect: 'sluice' })
    const items = client.subscribe(session, { transport })
    await items.next()
    await client.sessions.delete(session)
    await expect(items.next()).rejects.toMatchObject({
      code: 'session_deleted',
    })
  })

  const cuts = fc.array(
    fc.record({ direction: fc.constant('down' as const), afterBytes: fc.integer({ min: 0, max: 20_000 }) }),
    { maxLength: 8 },
  )

  test.each(['sluice', 'aaep', 'agent-event', 'stream-event', 'a2a', 'a2a-v1'])(
    'gives every frame of %s once, wherever its connections break',
    async (dialect) => {
      const session = newSession()
      const client = clientOf(gateway.url)
      await client.publish(session, [...words(60), end], { dialect: 'sluice' })
      const read = async (url: string, coalesce: string | undefined) => {
        const options = omitUndefined({ dialect, transport, coalesce })
        return collect(clientOf(url).subscribe<string>(session, options))
      }
      const options = [undefined, 'word', 'sentence'] as const
      const whole = new Map<string | undefined, unknown>()
      let broken = 0
      for (const coalesce of options) whole.set(coalesce, await read(gateway.url, coalesce))
      await fc.assert(
        fc.asyncProperty(cuts, fc.constantFrom(...options), async (each, coalesce) => {
          const proxy = await startCuttingProxy(gateway.url, each)
          try {
            expect(await read(proxy.url, coalesce)).toEqual(whole.get(coalesce))
            broken += proxy.cuts()
          } finally {
            await proxy.close()
          }
        }),
        { numRuns: runs(8) },
      )
      expect(broken).toBeGreaterThan(0)
    },
  )
})

describe('a publisher', () => {
  const cut = fc.record({
    direction: fc.constantFrom<ProxyCut['direction']>('up', 'down'),
    afterBytes: fc.integer({ min: 0, max: 3_000 }),
  })

  test('stores every event once and in order, wherever its connections break', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(cut, { maxLength: 10 }),
        fc.integer({ min: 1, max: 30 }),
        async (cuts, size) => {
          const session = newSession()
          const proxy = await startCuttingProxy(gateway.url, cuts)
          try {
            const publisher = clientOf(proxy.url).publisher(session, {
              dialect: 'sluice',
              maxBatchEvents: size,
            })
            for (const event of words(80)) publisher.send(event)
            publisher.send(end)
            await publisher.close()
          } finally {
            await proxy.close()
          }
          const items = await collect(clientOf(gateway.url).subscribe(session))
          expect(seqsOf(items)).toEqual(Array.from({ length: 81 }, (_, seq) => seq))
          expect(textOf(items)).toBe(textsOf(words(80)))
        },
      ),
      { numRuns: runs(15) },
    )
  })

  test('rejects what the gateway refuses and stores the rest', async () => {
    const client = clientOf(gateway.url)
    const session = newSession()
    const publisher = client.publisher(session, { dialect: 'sluice' })
    const other = { ...delta('elsewhere'), session: 'sess_other' }
    const results = await Promise.allSettled([delta('a'), other, delta('b')].map(publisher.send))
    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
    expect(results[1]).toMatchObject({
      reason: { code: 'events_refused', details: { rule: 'session_mismatch' } },
    })
    const { frames } = await client.read(session)
    expect(frames.map(({ frame }) => textIn(frame.events))).toEqual(['a', 'b'])
  })

  test('is fenced off by the next one of its name', async () => {
    const client = clientOf(gateway.url)
    const session = newSession()
    const old = client.publisher(session, { dialect: 'sluice', producer: 'worker' })
    await old.send(delta('a'))
    await client.publisher(session, { dialect: 'sluice', producer: 'worker' }).send(delta('b'))
    await expect(old.send(delta('c'))).rejects.toMatchObject({ code: 'producer_fenced' })
  })

  test('stores nothing twice when a run is repeated under its numbers', async () => {
    const client = clientOf(gateway.url)
    const session = newSession()
    for (const count of [3, 5]) {
      const producer = { name: 'run', epoch: 0 }
      const publisher = client.publisher(session, { dialect: 'sluice', producer })
      for (const event of words(count)) publisher.send(event)
      await publisher.close()
    }
    expect((await client.read(session)).frames).toHaveLength(5)
  })

  test('gets an error after the end of its session', async () => {
    const client = clientOf(gateway.url)
    const session = newSession()
    await client.publish(session, [end], { dialect: 'sluice' })
    await expect(client.publish(session, [delta('late')], { dialect: 'sluice' })).rejects.toMatchObject({
      code: expect.stringMatching(/^(session_ended|events_refused)$/),
    })
  })
})

describe('a person and an agent', () => {
  test('exchange a question, its answer, a message and a cancel', async () => {
    const client = clientOf(gateway.url)
    const session = newSession()
    const question: SluiceEvent = {
      kind: 'question-open',
      question: 'confirmation',
      token: 'q1',
      text: 'Delete it?',
      allowed: ['accept', 'reject'],
    }
    await client.publish(session, [{ events: [question] }], { dialect: 'sluice' })
    const inputs = client.inputs(session)
    expect((await client.snapshot(session)).session).toMatchObject({ state: 'waiting', questions: 1 })
    await client.answer(session, { token: 'q1', decision: 'accept' })
    expect((await inputs.next()).value).toMatchObject({
      type: 'frame',
      frame: { type: 'answer', token: 'q1', decision: 'accept' },
    })
    const { id } = await client.message(session, { text: 'And hurry.' })
    expect((await inputs.next()).value).toMatchObject({
      frame: { type: 'message', id, parts: [{ type: 'text', text: 'And hurry.' }] },
    })
    await client.cancel(session, { reason: 'too slow' })
    expect((await inputs.next()).value).toMatchObject({ frame: { type: 'cancel', reason: 'too slow' } })
    await client.sessions.end(session, { outcome: 'cancelled' })
    expect((await inputs.next()).value).toMatchObject({ type: 'end', outcome: 'cancelled' })
  })
})

describe('sessions', () => {
  test('are created once, listed, watched and deleted', async () => {
    const client = clientOf(gateway.url)
    const id = newSession()
    const labels = { suite: id }
    const changes = client.sessions.watch({ labels })
    const next = async () => (await changes.next()).value
    expect(await next()).toEqual({ type: 'begin' })
    expect(await next()).toEqual({ type: 'ready' })
    const first = await client.sessions.create({ id, labels, idempotencyKey: id })
    const again = await client.sessions.create({ id, labels, idempotencyKey: id })
    expect(again.id).toBe(first.id)
    expect(await next()).toMatchObject({ type: 'session', session: { id, state: 'open' } })
    expect((await collect(client.sessions.all({ labels }))).map((session) => session.id)).toEqual([id])
    await client.sessions.delete(id)
    expect(await next()).toEqual({ type: 'deleted', id })
    await changes.return()
  })
})
