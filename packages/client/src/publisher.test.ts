import { SluiceError } from '@sluice/protocol'
import { createDrivenClock } from '@sluice/protocol/testing'
import fc from 'fast-check'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { type ClientOptions, createClient } from './client.ts'
import { createNumberingStore, type Mishap } from './testing/numbering-store.ts'
import { answerJson, type Peer, type PeerHandler, startPeer } from './testing/peer.ts'
import { runs } from './testing/runs.ts'

let peer: Peer | undefined
afterEach(async () => {
  vi.unstubAllGlobals()
  await peer?.close()
})

async function connect(handle: PeerHandler, options: Partial<ClientOptions> = {}) {
  peer = await startPeer(handle)
  return { client: createClient({ url: peer.url, random: () => 0, ...options }), peer }
}

const dialect = 'demo'
const events = (count: number) => Array.from({ length: count }, (_, n) => ({ n }))

describe('publisher()', () => {
  test('sends what gathers while a request is under way in one batch', async () => {
    const store = createNumberingStore()
    const { client, peer } = await connect(store.handle)
    const publisher = client.publisher('sess_a', { dialect })
    const first = publisher.send({ n: 0 })
    await peer.requested(1)
    const rest = events(250).slice(1).map(publisher.send)
    expect(await first).toEqual({ cursor: '0' })
    expect(await Promise.all(rest)).toHaveLength(249)
    expect(store.stored).toEqual(events(250))
    expect(store.batches).toEqual([1, 100, 100, 49])
    await Promise.all([publisher.send({ n: 250 }), publisher.send({ n: 251 })])
    expect(store.batches.at(-1)).toBe(2)
    expect(peer.requests[0]?.url.href).toContain('/v1/sessions/sess_a/events?dialect=demo')
    expect(peer.requests[0]?.headers['content-type']).toBe('application/json')
  })

  test('keeps within the bounds of a batch', async () => {
    const store = createNumberingStore()
    const { client } = await connect(store.handle)
    const publisher = client.publisher('sess_a', { dialect, maxBatchEvents: 4, maxBatchBytes: 60 })
    const texts = ['ä'.repeat(30), 'b', 'c', 'd', 'e', 'f', 'g'.repeat(100), 'h']
    await Promise.all(texts.map((text) => publisher.send({ text })))
    expect(store.stored).toEqual(texts.map((text) => ({ text })))
    expect(store.batches).toEqual([1, 4, 1, 1, 1])
  })

  const mishap = fc.constantFrom<Mishap>('none', 'lost', 'answer-lost', 'busy')

  test('stores every event once and in order, whatever gets lost', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.nat(30), { minLength: 1, maxLength: 6 }),
        fc.array(mishap, { maxLength: 12 }),
        fc.integer({ min: 1, max: 10 }),
        async (bursts, mishaps, maxBatchEvents) => {
          const store = createNumberingStore()
          const left = [...mishaps]
          const { client, peer } = await connect((request, response) =>
            store.handle(request, response, left.shift()),
          )
          try {
            const publisher = client.publisher('sess_a', { dialect, maxBatchEvents })
            let n = 0
            for (const burst of bursts) {
              for (let i = 0; i < burst; i++) publisher.send({ n: n++ })
              await publisher.send({ n: n++ })
            }
            await publisher.close()
            expect(store.stored).toEqual(events(n))
          } finally {
            await peer.close()
          }
        },
      ),
      { numRuns: runs(60) },
    )
  })

  test.each([100, 2])(
    'rejects what the gateway refuses, and stores the rest in order, %d at once',
    async (size) => {
      const store = createNumberingStore()
      const { client } = await connect(store.handle)
      const publisher = client.publisher('sess_a', { dialect, maxBatchEvents: size })
      const given = [{ n: 0 }, { refuse: 'too_deep' }, { n: 1 }, { refuse: 'session_mismatch' }, { n: 2 }]
      const results = await Promise.allSettled(given.map((event) => publisher.send(event)))
      expect(results.map(({ status }) => status)).toEqual([
        'fulfilled',
        'rejected',
        'fulfilled',
        'rejected',
        'fulfilled',
      ])
      expect(results[1]).toMatchObject({
        reason: {
          code: 'events_refused',
          message: 'Not this.',
          details: { rule: 'too_deep', path: '/refuse' },
        },
      })
      expect(store.stored).toEqual(events(3))
      await publisher.send({ n: 3 })
      expect(store.stored).toEqual(events(4))
    },
  )

  test('finds the event that is too large by sending less at once', async () => {
    const store = createNumberingStore()
    const { client } = await connect((request, response) => {
      if (request.body.includes('huge')) answerJson(response, { code: 'event_too_large' }, { status: 413 })
      else store.handle(request, response)
    })
    const publisher = client.publisher('sess_a', { dialect })
    const given = [...events(6), { n: 'huge' }, { n: 6 }]
    const results = await Promise.allSettled(given.map((event) => publisher.send(event)))
    expect(results.flatMap(({ status }, index) => (status === 'rejected' ? [index] : []))).toEqual([6])
    expect(store.stored).toEqual(events(7))
  })

  test('goes on where the gateway stands when that has lost numbers', async () => {
    const store = createNumberingStore()
    const { client } = await connect(store.handle)
    const publisher = client.publisher('sess_a', { dialect, producer: { name: 'p', epoch: 3 } })
    await Promise.all(events(5).map(publisher.send))
    store.producers.set('p', { epoch: 3, seq: 1 })
    await publisher.send({ n: 5 })
    store.producers.delete('p')
    await publisher.send({ n: 6 })
    expect(store.stored).toEqual(events(7))
    expect(store.producers.get('p')).toEqual({ epoch: 3, seq: 0 })
  })

  test('skips no number when the gateway stands further on', async () => {
    const store = createNumberingStore()
    let isFirst = true
    const { client, peer } = await connect((request, response) => {
      if (isFirst) answerJson(response, { code: 'producer_gap', expected: 0 }, { status: 409 })
      else store.handle(request, response)
      isFirst = false
    })
    store.producers.set('p', { epoch: 0, seq: 10 })
    await client.publisher('sess_a', { dialect, producer: { name: 'p', epoch: 0, seq: 4 } }).send({ n: 4 })
    expect(peer.requests.map(({ headers }) => headers['sluice-producer'])).toEqual([
      'p; epoch=0; seq=4',
      undefined,
      'p; epoch=0; seq=4',
    ])
    expect(store.stored).toEqual([])
  })

  test('takes over a name, and the one who had it before is fenced off', async () => {
    const store = createNumberingStore()
    const { client } = await connect(store.handle)
    const old = client.publisher('sess_a', { dialect, producer: 'worker' })
    await old.send({ n: 0 })
    const next = client.publisher('sess_a', { dialect, producer: 'worker' })
    await next.send({ n: 1 })
    await expect(old.send({ n: 'stale' })).rejects.toMatchObject({ code: 'producer_fenced' })
    await expect(old.send({ n: 'stale' })).rejects.toMatchObject({ code: 'producer_fenced' })
    expect(store.stored).toEqual(events(2))
    expect(store.producers.get('worker')).toEqual({ epoch: 1, seq: 0 })
  })

  test('stores nothing twice when a run is repeated under its numbers', async () => {
    const store = createNumberingStore()
    const { client } = await connect(store.handle)
    for (const count of [3, 5]) {
      const publisher = client.publisher('sess_a', { dialect, producer: { name: 'run-7', epoch: 0 } })
      for (const event of events(count)) publisher.send(event)
      await publisher.close()
    }
    expect(store.stored).toEqual(events(5))
  })

  test('stores nothing twice when a run with refused events is repeated under its numbers', async () => {
    const store = createNumberingStore()
    const { client, peer } = await connect(store.handle)
    const given = [{ n: 0 }, { refuse: 'too_deep' }, { n: 1 }, { n: 2 }]
    for (const count of [3, 4]) {
      const publisher = client.publisher('sess_a', { dialect, producer: { name: 'run-7', epoch: 0 } })
      const results = await Promise.allSettled(given.slice(0, count).map(publisher.send))
      if (count === 3)
        expect(results[1]).toMatchObject({
          reason: { code: 'events_refused', details: { rule: 'too_deep', path: '/refuse' } },
        })
    }
    expect(store.stored).toEqual(events(3))
    expect(peer.requests[0]?.headers['content-type']).toBe('application/x-ndjson')
  })

  test.each([undefined, { name: 'p', epoch: 0 }])(
    'sends text with every byte of it, and refuses what is not JSON, as %j',
    async (producer) => {
      const store = createNumberingStore()
      const { client, peer } = await connect(store.handle)
      const publisher = client.publisher('sess_a', { dialect, ...(producer && { producer }) })
      const texts = ['{"n": 1.0,\n"m":12345678901234567890}', 'nonsense', '', '{}']
      const results = await Promise.allSettled(texts.map(publisher.sendText))
      expect(results.map((result) => result.status === 'rejected' && result.reason.details.rule)).toEqual([
        false,
        'not_json',
        'not_json',
        false,
      ])
      expect(peer.requests[0]?.body).toContain('{"n": 1.0,"m":12345678901234567890}')
      expect(publisher.tally).toEqual({ stored: 2, duplicates: 0, refused: 2, findings: 0 })
    },
  )

  test('tells findings on what is stored, and counts them', async () => {
    const { client } = await connect(createNumberingStore().handle)
    const publisher = client.publisher('sess_a', { dialect, producer: { name: 'p', epoch: 0 } })
    const receipts = await Promise.all([{ n: 0 }, { find: 'not_started' }].map(publisher.send))
    expect(receipts).toMatchObject([{ cursor: '1' }, { findings: [{ code: 'not_started', path: '/find' }] }])
    expect(receipts[0]?.findings).toBeUndefined()
    expect(publisher.tally).toMatchObject({ stored: 2, findings: 1 })
  })

  test('tells of an outage once, waits as asked, and gives up when it lasts too long', async () => {
    const clock = createDrivenClock()
    const fetch = vi.fn(async () => {
      throw new TypeError('no network')
    })
    const client = createClient({ url: 'http://127.0.0.1', fetch, clock, random: () => 1 })
    const onOutage = vi.fn()
    const backoff = { baseMs: 100, maxMs: 400 }
    const publisher = client.publisher('sess_a', { dialect, backoff, maxOutageMs: 1_000, onOutage })
    const sent = publisher.send({ n: 0 })
    for (const expected of [100, 200, 400, 400]) {
      let waitMs = await clock.nextTimer()
      while (waitMs === 60_000) waitMs = await clock.nextTimer() // the limit of a request
      expect(waitMs).toBe(expected)
      clock.advance(waitMs)
    }
    await expect(sent).rejects.toMatchObject({ code: 'gateway_unreachable' })
    expect(onOutage).toHaveBeenCalledTimes(1)
    expect(fetch).toHaveBeenCalledTimes(5)
  })

  test('ends when onOutage throws', async () => {
    const fetch = async () => {
      throw new TypeError('no network')
    }
    const client = createClient({ url: 'http://127.0.0.1', fetch })
    const onOutage = (error: SluiceError) => {
      throw error
    }
    const publisher = client.publisher('sess_a', { dialect, onOutage })
    await expect(publisher.send({ n: 0 })).rejects.toMatchObject({ code: 'gateway_unreachable' })
    await expect(publisher.send({ n: 1 })).rejects.toMatchObject({ code: 'gateway_unreachable' })
  })

  test('asks the gateway to ignore the names of sessions', async () => {
    const { client, peer } = await connect(createNumberingStore().handle)
    await client.publisher('sess_a', { dialect, names: 'ignore' }).send({ n: 0 })
    expect(peer.requests[0]?.url.searchParams.get('names')).toBe('ignore')
  })

  test.each(['', 'a b', 'a;b', 'a,b', 'ä', 'x'.repeat(129)])('refuses the name %j', async (name) => {
    const { client } = await connect(() => {})
    expect(() => client.publisher('sess_a', { producer: name })).toThrowError(
      expect.objectContaining({ code: 'bad_request' }),
    )
  })

  test('ends with an error that no repetition mends, for all that waits and comes', async () => {
    const { client } = await connect((_, response) =>
      answerJson(response, { code: 'session_ended' }, { status: 409 }),
    )
    const publisher = client.publisher('sess_a', { dialect })
    const results = await Promise.allSettled(events(150).map(publisher.send))
    for (const result of results) expect(result).toMatchObject({ reason: { code: 'session_ended' } })
    await expect(publisher.send({})).rejects.toMatchObject({ code: 'session_ended' })
    await expect(publisher.close()).rejects.toMatchObject({ code: 'session_ended' })
  })

  test('tells by flush() of failures for which nobody waited, once', async () => {
    const store = createNumberingStore()
    const { client } = await connect(store.handle)
    const publisher = client.publisher('sess_a', { dialect })
    publisher.send({ refuse: 'too_deep' })
    publisher.send({ n: 0 })
    await expect(publisher.flush()).rejects.toMatchObject({ code: 'events_refused' })
    await publisher.flush()
    expect(store.stored).toEqual(events(1))
  })

  test('rejects what is no JSON, and everything after close()', async () => {
    const { client } = await connect(createNumberingStore().handle)
    const publisher = client.publisher('sess_a', { dialect })
    const cycle: { [key: string]: never } = {}
    Object.assign(cycle, { cycle })
    await expect(publisher.send(cycle)).rejects.toThrow(TypeError)
    await expect(publisher.close()).rejects.toThrow(TypeError)
    await expect(publisher.send({})).rejects.toMatchObject({ code: 'closed' })
  })

  test('has no room while too much is under way', async () => {
    let answer = () => {}
    const { client, peer } = await connect((_, response) => {
      answer = () => answerJson(response, { cursor: '0' })
    })
    const publisher = client.publisher('sess_a', { dialect, maxPendingBytes: 1_000 })
    await publisher.ready()
    publisher.send({ text: 'x'.repeat(1_000) })
    await peer.requested(1)
    let isReady = false
    const ready = publisher.ready().then(() => {
      isReady = true
    })
    await new Promise(setImmediate)
    expect(isReady).toBe(false)
    answer()
    await ready
  })

  test('repeats a request that is not answered in time', async () => {
    const clock = createDrivenClock()
    const store = createNumberingStore()
    let asked = 0
    const { client, peer } = await connect(
      (request, response) => {
        asked += 1
        if (asked > 1) store.handle(request, response)
      },
      { clock },
    )
    const publisher = client.publisher('sess_a', { dialect, timeoutMs: 5_000 })
    const sent = publisher.send({ n: 0 })
    await peer.requested(1)
    const wait = clock.nextTimer()
    clock.advance(5_000)
    clock.advance(await wait)
    await sent
    expect(store.stored).toEqual(events(1))
    expect(clock.timers).toBe(0)
  })

  test('makes no request while the platform is offline', async () => {
    const window = new EventTarget()
    const navigator = { onLine: false }
    vi.stubGlobal('navigator', navigator)
    vi.stubGlobal('addEventListener', window.addEventListener.bind(window))
    vi.stubGlobal('removeEventListener', window.removeEventListener.bind(window))
    const fetch = vi.fn(async () => new Response('{"cursor":"0"}'))
    const client = createClient({ url: 'https://gateway.example', fetch })
    const sent = client.publisher('sess_a', { dialect }).send({ n: 0 })
    await new Promise(setImmediate)
    expect(fetch).not.toHaveBeenCalled()
    navigator.onLine = true
    window.dispatchEvent(new Event('online'))
    expect(await sent).toEqual({ cursor: '0' })
  })

  test('rejects with the reason of its signal', async () => {
    const { client, peer } = await connect(() => {})
    const controller = new AbortController()
    const publisher = client.publisher('sess_a', { dialect, signal: controller.signal })
    const sent = publisher.send({ n: 0 })
    await peer.requested(1)
    controller.abort(new Error('enough'))
    await expect(sent).rejects.toThrow('enough')
    await expect(publisher.send({ n: 1 })).rejects.toThrow('enough')
    await publisher.ready()
  })
})

describe('publish()', () => {
  test('resolves when all events are durable, and shares one producer of a session', async () => {
    const store = createNumberingStore()
    const { client } = await connect(store.handle)
    expect(await client.publish('sess_a', events(3), { dialect })).toEqual({ cursor: '2' })
    await client.publish('sess_a', [{ n: 3 }], { dialect })
    expect(await client.publish('sess_a', [], { dialect })).toBeUndefined()
    expect(store.stored).toEqual(events(4))
    expect(store.producers.size).toBe(1)
  })

  test('takes an async iterable', async () => {
    const store = createNumberingStore()
    const { client } = await connect(store.handle)
    async function* source() {
      yield* events(300)
    }
    await client.publish('sess_a', source(), { dialect })
    expect(store.stored).toEqual(events(300))
  })

  test('names the place of the event that was refused, and stores the others', async () => {
    const store = createNumberingStore()
    const { client } = await connect(store.handle)
    const given = [{ n: 0 }, { refuse: 'too_deep' }, { n: 1 }]
    await expect(client.publish('sess_a', given, { dialect })).rejects.toMatchObject({
      code: 'events_refused',
      details: { rule: 'too_deep', index: 1 },
    })
    expect(store.stored).toEqual(events(2))
  })

  test('begins anew after a failure', async () => {
    const store = createNumberingStore()
    let isForbidden = true
    const { client } = await connect((request, response) => {
      if (isForbidden) answerJson(response, { code: 'forbidden' }, { status: 403 })
      else store.handle(request, response)
    })
    await expect(client.publish('sess_a', events(1), { dialect })).rejects.toBeInstanceOf(SluiceError)
    isForbidden = false
    await client.publish('sess_a', events(1), { dialect })
    expect(store.stored).toEqual(events(1))
  })

  test('takes no more of its events than may be under way', async () => {
    const { client, peer } = await connect(() => {})
    const controller = new AbortController()
    const text = 'x'.repeat(1024 * 1024)
    let taken = 0
    function* source() {
      for (; taken < 50; taken++) yield { text }
    }
    const published = client.publish('sess_a', source(), { dialect, signal: controller.signal })
    await peer.requested(1)
    await new Promise(setImmediate)
    controller.abort(new Error('enough'))
    await expect(published).rejects.toThrow('enough')
    expect(taken).toBeLessThan(6)
  })

  test('stops waiting when its signal is aborted', async () => {
    const { client, peer } = await connect(() => {})
    const controller = new AbortController()
    const published = client.publish('sess_a', events(1), { dialect, signal: controller.signal })
    await peer.requested(1)
    controller.abort(new Error('enough'))
    await expect(published).rejects.toThrow('enough')
  })
})
