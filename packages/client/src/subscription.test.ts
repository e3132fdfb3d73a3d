import { encodeSse, encodeSseComment, SluiceError } from '@sluice/protocol'
import { createDrivenClock } from '@sluice/protocol/testing'
import fc from 'fast-check'
import { afterEach, describe, expect, onTestFinished, test } from 'vitest'
import { type ClientOptions, createClient } from './client.ts'
import type { ConnectionState } from './connection-state.ts'
import { collect } from './testing/collect.ts'
import { answerJson, openSse, type Peer, type PeerHandler, startPeer } from './testing/peer.ts'
import { runs } from './testing/runs.ts'
import { type Cut, serveLog } from './testing/served-log.ts'

let peer: Peer | undefined
afterEach(() => peer?.close())

/** A client that does not wait between attempts. */
async function connect(handle: PeerHandler, options: Partial<ClientOptions> = {}) {
  peer = await startPeer(handle)
  return { client: createClient({ url: peer.url, random: () => 0, ...options }), peer }
}

const frame = (seq: number) => encodeSse({ id: String(seq), data: JSON.stringify({ seq }) })
const end = encodeSse({ event: 'sluice.end', data: '{"outcome":"completed"}' })
const ended = { type: 'end', outcome: 'completed' }

/** Handlers for successive requests; the last one stays. */
const inTurn = (...handlers: PeerHandler[]): PeerHandler => {
  let turn = 0
  return (request, response) => handlers[Math.min(turn++, handlers.length - 1)]?.(request, response)
}

describe('subscribe()', () => {
  test('yields frames with their cursors, then the end', async () => {
    const { client, peer } = await connect((_, response) => openSse(response).end(frame(0) + frame(1) + end))
    expect(await collect(client.subscribe('sess_a', { dialect: 'aaep', coalesce: 'word' }))).toEqual([
      { type: 'frame', cursor: '0', frame: { seq: 0 }, text: '{"seq":0}' },
      { type: 'frame', cursor: '1', frame: { seq: 1 }, text: '{"seq":1}' },
      { ...ended, cursor: '1' },
    ])
    const { url, headers } = peer.requests[0] ?? {}
    expect(url?.pathname).toBe('/v1/sessions/sess_a/events')
    expect(Object.fromEntries(url?.searchParams ?? [])).toEqual({
      dialect: 'aaep',
      coalesce: 'word',
      after: '-1',
    })
    expect(headers?.accept).toBe('text/event-stream')
  })

  const cut = fc.record({ afterBytes: fc.nat(2_000), isClean: fc.boolean() })

  test('yields every frame once and in order, wherever connections are cut', async () => {
    await fc.assert(
      fc.asyncProperty(fc.nat(20), fc.array(cut, { maxLength: 8 }), async (size, cuts: Cut[]) => {
        const count = size + 1
        const left = [...cuts]
        const { client, peer } = await connect((request, response) => {
          if (request.url.pathname.endsWith('/events'))
            serveLog(request, response, { count, cut: left.shift() })
          else answerJson(response, { session: { outcome: 'completed' }, cursor: String(count - 1) })
        })
        try {
          const items = await collect(client.subscribe<'demo'>('sess_a', { dialect: 'demo' }))
          const seqs = items.flatMap((item) => (item.type === 'frame' ? [item.frame['seq']] : []))
          expect(seqs).toEqual(Array.from({ length: count }, (_, seq) => seq))
          expect(items.at(-1)).toEqual({ ...ended, cursor: String(count - 1) })
        } finally {
          await peer.close()
        }
      }),
      { numRuns: runs(60) },
    )
  })

  test('passes over frames that a gateway sends again', async () => {
    const { client } = await connect(
      inTurn(
        (_, response) => openSse(response).end(frame(0) + frame(1)),
        (_, response) => openSse(response).end(frame(0) + frame(1) + frame(1) + frame(2) + end),
      ),
    )
    const items = await collect(client.subscribe('sess_a'))
    expect(items.map((item) => item.type === 'frame' && item.cursor)).toEqual(['0', '1', '2', false])
  })

  test('resumes from a cursor that came with a heartbeat', async () => {
    const { client, peer } = await connect(
      inTurn(
        (_, response) => openSse(response).end(`${frame(0)}id: 5\n${encodeSseComment('')}`),
        (_, response) => openSse(response).end(end),
      ),
    )
    const items = await collect(client.subscribe('sess_a'))
    expect(items.at(-1)).toEqual({ ...ended, cursor: '5' })
    expect(peer.requests[1]?.url.searchParams.get('after')).toBe('5')
  })

  test('surfaces a gap and reads on from the start, also over another connection', async () => {
    const gap = encodeSse({ event: 'sluice.gap', data: '{"requested":"90","oldest":"-1","head":"1"}' })
    const { client, peer } = await connect(
      inTurn(
        (_, response) => openSse(response).end(gap),
        (_, response) => openSse(response).end(frame(0) + frame(1) + end),
      ),
    )
    const items = await collect(client.subscribe('sess_a', { after: '90' }))
    expect(items[0]).toEqual({ type: 'gap', requested: '90', oldest: '-1', head: '1' })
    expect(items.map(({ type }) => type)).toEqual(['gap', 'frame', 'frame', 'end'])
    expect(peer.requests.map(({ url }) => url.searchParams.get('after'))).toEqual(['90', '-1'])
  })

  test('asks once what now is, and stays there until the first frame', async () => {
    const { client, peer } = await connect(
      inTurn(
        (_, response) => answerJson(response, { frames: [], cursor: '7', end: false }),
        (_, response) => openSse(response).end(),
        (_, response) => openSse(response).end(frame(8) + end),
      ),
    )
    expect((await collect(client.subscribe('sess_a', { after: 'now' }))).length).toBe(2)
    expect(peer.requests.map(({ url }) => url.searchParams.get('after'))).toEqual(['now', '7', '7'])
  })

  test.each(['4', 'now'])(
    'learns from the snapshot how a session ended, behind its end (%s)',
    async (after) => {
      const { client } = await connect((request, response) => {
        if (request.url.pathname.endsWith('/events')) response.writeHead(204).end()
        else answerJson(response, { session: { outcome: 'cancelled' }, cursor: '4', snapshot: {} })
      })
      const items = await collect(client.subscribe('sess_a', { after }))
      expect(items).toEqual([{ type: 'end', outcome: 'cancelled', cursor: '4' }])
    },
  )

  test.each([
    [404, { code: 'unknown_session' }, 'unknown_session'],
    [410, { code: 'session_deleted' }, 'session_deleted'],
    [403, {}, 'forbidden'],
  ])('throws what no repetition mends: %d %j', async (status, body, code) => {
    const { client, peer } = await connect((_, response) => answerJson(response, body, { status }))
    await expect(collect(client.subscribe('sess_a'))).rejects.toMatchObject({ code })
    expect(peer.requests).toHaveLength(1)
  })

  test('comes back after errors that pass, broken answers and pages of others', async () => {
    const { client, peer } = await connect(
      inTurn(
        (_, response) => answerJson(response, { code: 'overloaded' }, { status: 503 }),
        (_, response) => response.socket?.resetAndDestroy(),
        (_, response) => response.writeHead(200, { 'content-type': 'text/html' }).end('<p>Please log in'),
        (_, response) => openSse(response).end('data: {"no":"cursor"}\n\n'),
        (_, response) => openSse(response).end('id: 0\ndata: not json\n\n'),
        (_, response) => openSse(response).end('id: 0\ndata: [1]\n\n'),
        (_, response) => openSse(response).end(Buffer.from([0x64, 0x61, 0x74, 0x61, 0x3a, 0xff, 0x0a, 0x0a])),
        (_, response) => openSse(response).end(frame(0) + end),
      ),
    )
    expect(await collect(client.subscribe('sess_a'))).toHaveLength(2)
    expect(peer.requests).toHaveLength(8)
  })

  test('waits as long as the gateway asks, and says until when', async () => {
    const clock = createDrivenClock()
    const states: ConnectionState[] = []
    const { client } = await connect(
      inTurn(
        (_, response) =>
          answerJson(response, { code: 'rate_limited' }, { status: 429, headers: { 'retry-after': '7' } }),
        (_, response) => openSse(response, '0').end(frame(0) + end),
      ),
      { clock },
    )
    let done: Promise<unknown> = Promise.resolve()
    await new Promise<void>((resolve) => {
      const onConnection = (state: ConnectionState) => {
        states.push(state)
        if (state.status === 'waiting') clock.nextTimer().then(() => resolve())
      }
      done = collect(client.subscribe('sess_a', { onConnection }))
    })
    expect(states.at(-1)).toMatchObject({
      status: 'waiting',
      untilMs: clock.now() + 7_000,
      error: { code: 'rate_limited' },
    })
    clock.advance(6_999)
    expect(states.at(-1)).toMatchObject({ status: 'waiting' })
    clock.advance(1)
    await done
    expect(states.map(({ status }) => status)).toEqual([
      'connecting',
      'waiting',
      'connecting',
      'catching-up',
      'live',
      'closed',
    ])
  })

  test('grows its waits from what the stream asks for', async () => {
    const clock = createDrivenClock()
    const waits: number[] = []
    const { client } = await connect((_, response) => openSse(response).end('retry: 4000\n\n'), {
      clock,
      random: () => 0.5,
    })
    const controller = new AbortController()
    const reading = collect(
      client.subscribe('sess_a', {
        signal: controller.signal,
        onConnection(state) {
          if (state.status !== 'waiting') return
          const waitMs = state.untilMs - clock.now()
          waits.push(waitMs)
          if (waits.length === 3) controller.abort(new Error('enough'))
          else queueMicrotask(() => clock.advance(waitMs))
        },
      }),
    )
    await expect(reading).rejects.toThrow('enough')
    expect(waits).toEqual([2_000, 4_000, 8_000])
  })

  test('leaves a connection that fell silent and reads on over another', async () => {
    const clock = createDrivenClock()
    const { client, peer } = await connect(
      inTurn(
        (_, response) => openSse(response).write(frame(0)),
        (_, response) => openSse(response).end(frame(1) + end),
      ),
      { clock, heartbeatMs: 1_000 },
    )
    const items = client.subscribe('sess_a', {
      onConnection({ status }) {
        if (status === 'waiting') clock.nextTimer().then((waitMs) => clock.advance(waitMs))
      },
    })
    expect((await items.next()).value).toMatchObject({ cursor: '0' })
    const timer = clock.nextTimer()
    const next = items.next()
    await timer
    clock.advance(2_500)
    expect((await next).value).toMatchObject({ cursor: '1' })
    expect(peer.requests[1]?.url.searchParams.get('after')).toBe('0')
  })

  test('does not take the time that its reader takes for silence of the gateway', async () => {
    const clock = createDrivenClock()
    let write = (_text: string) => {}
    const { client, peer } = await connect(
      (_, response) => {
        openSse(response).write(frame(0))
        write = (text) => response.write(text)
      },
      { clock },
    )
    const items = client.subscribe('sess_a')
    await items.next()
    clock.advance(3_600_000)
    write(frame(1) + end)
    expect((await items.next()).value).toMatchObject({ cursor: '1' })
    expect((await items.next()).value).toMatchObject({ type: 'end' })
    expect(peer.requests).toHaveLength(1)
  })

  test('tells how far the session had come when the connection was made', async () => {
    const { client } = await connect((_, response) => openSse(response, '1').end(frame(0) + frame(1) + end))
    const states: ConnectionState[] = []
    await collect(client.subscribe('sess_a', { onConnection: (state) => states.push(state) }))
    expect(states).toEqual([
      { status: 'connecting' },
      { status: 'catching-up', head: '1' },
      { status: 'live' },
      { status: 'closed' },
    ])
  })

  test('is live after a second of quiet when the gateway does not tell where the session stands', async () => {
    const clock = createDrivenClock()
    const { client } = await connect((_, response) => openSse(response).write(frame(0)), { clock })
    const states: string[] = []
    const items = client.subscribe('sess_a', { onConnection: ({ status }) => states.push(status) })
    onTestFinished(async () => {
      await items.return()
    })
    await items.next()
    const timer = clock.nextTimer()
    const pending = items.next()
    await timer
    expect(states).toEqual(['connecting', 'catching-up'])
    clock.advance(1_000)
    expect(states.at(-1)).toBe('live')
    await items.return()
    expect((await pending).done).toBe(true)
  })

  test('is not live any more once its connection broke, however quiet it is then', async () => {
    const clock = createDrivenClock()
    let breakOff = () => {}
    const { client } = await connect(
      (_, response) => {
        openSse(response).write(frame(0))
        breakOff = () => response.socket?.resetAndDestroy()
      },
      { clock, random: () => 0.9 },
    )
    const states: string[] = []
    const items = client.subscribe('sess_a', { onConnection: ({ status }) => states.push(status) })
    await items.next()
    const reads = clock.nextTimer()
    const pending = items.next()
    await reads
    const waits = clock.nextTimer()
    breakOff()
    expect(await waits).toBe(900)
    expect(clock.timers).toBe(1)
    expect(states).toEqual(['connecting', 'catching-up', 'waiting'])
    await items.return()
    await pending
  })

  test('takes no more from the network than its reader takes', async () => {
    const piece = encodeSse({ id: '0', data: JSON.stringify({ text: 'x'.repeat(60_000) }) })
    let written = 0
    let isStalled = () => {}
    const stalled = new Promise<void>((resolve) => {
      isStalled = resolve
    })
    const { client } = await connect((_, response) => {
      openSse(response)
      const write = () => {
        for (let i = 0; i < 2_000; i++) {
          written += piece.length
          if (!response.write(piece.replace('id: 0', `id: ${Math.floor(written / piece.length)}`))) break
        }
        if (response.writableNeedDrain) isStalled()
      }
      write()
    })
    const items = client.subscribe('sess_a')
    await items.next()
    await stalled
    // The peer could fill the buffers of two sockets, and the reader has one frame.
    expect(written).toBeLessThan(20_000_000)
    await items.return()
  })

  test('leaving the loop closes the connection', async () => {
    let closed: Promise<void> | undefined
    const { client } = await connect((_, response) => {
      closed = new Promise((resolve) => response.on('close', resolve))
      openSse(response).write(frame(0))
    })
    for await (const item of client.subscribe('sess_a')) {
      expect(item.type).toBe('frame')
      break
    }
    await closed
  })

  test('throws the reason of its signal', async () => {
    const { client, peer } = await connect((_, response) => openSse(response))
    const controller = new AbortController()
    const next = client.subscribe('sess_a', { signal: controller.signal }).next()
    await peer.requested(1)
    controller.abort(new Error('enough'))
    await expect(next).rejects.toThrow('enough')
  })

  test('refuses a cursor that is none', async () => {
    const { client } = await connect((_, response) => openSse(response))
    await expect(client.subscribe('sess_a', { after: 'x' }).next()).rejects.toMatchObject({
      code: 'bad_cursor',
    })
  })

  test('asks for another token when the one it had has expired', async () => {
    const tokens = ['old', 'new']
    const { client, peer } = await connect(
      (request, response) => {
        if (request.headers.authorization === 'Bearer new') openSse(response).end(end)
        else answerJson(response, { code: 'token_expired' }, { status: 401 })
      },
      { token: async () => tokens.shift() ?? 'none' },
    )
    await collect(client.subscribe('sess_a'))
    expect(peer.requests).toHaveLength(2)
  })

  test('throws when another token does not help, and tries again when there is none for now', async () => {
    const first = await connect((_, response) => answerJson(response, {}, { status: 401 }), {
      token: () => 'same',
    })
    await expect(first.client.subscribe('sess_a').next()).rejects.toMatchObject({ code: 'unauthenticated' })
    expect(first.peer.requests).toHaveLength(1)
    await first.peer.close()
    let asked = 0
    const other = await connect((_, response) => openSse(response).end(end), {
      token() {
        asked += 1
        if (asked === 1) throw new TypeError('Load failed')
        if (asked === 2) return 'here'
        throw new SluiceError('unauthenticated')
      },
    })
    await collect(other.client.subscribe('sess_a'))
    await expect(other.client.subscribe('sess_a').next()).rejects.toMatchObject({ code: 'unauthenticated' })
  })
})

test('inputs() reads what is sent to the agent', async () => {
  const input = { seq: 3, at: 1, type: 'answer', token: 'q1', decision: 'accept' }
  const { client, peer } = await connect((_, response) =>
    openSse(response).end(encodeSse({ id: '3', data: JSON.stringify(input) }) + end),
  )
  expect(await collect(client.inputs('sess_a', { after: '2' }))).toEqual([
    { type: 'frame', cursor: '3', frame: input, text: JSON.stringify(input) },
    { ...ended, cursor: '3' },
  ])
  expect(peer.requests[0]?.url.pathname).toBe('/v1/sessions/sess_a/inputs')
})
