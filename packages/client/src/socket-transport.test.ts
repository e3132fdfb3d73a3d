import { createDrivenClock } from '@sluice/protocol/testing'
import { afterEach, describe, expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { type ClientOptions, createClient } from './client.ts'
import { collect } from './testing/collect.ts'
import { answerJson, type PeerHandler } from './testing/peer.ts'
import { type OnClientMessage, type SocketPeer, startSocketPeer } from './testing/socket-peer.ts'

let peer: SocketPeer | undefined
afterEach(() => peer?.close())

async function connect(
  onMessage: OnClientMessage,
  options: Partial<ClientOptions> = {},
  {
    handle,
    isRefused,
  }: { readonly handle?: PeerHandler | undefined; readonly isRefused?: (() => boolean) | undefined } = {},
) {
  peer = await startSocketPeer(onMessage, handle, isRefused)
  const client = createClient({ url: peer.url, WebSocket, random: () => 0, ...options })
  return { client, peer }
}

const send = (socket: WebSocket, message: object) => socket.send(JSON.stringify(message))
const frames = (ref: string | undefined, ...seqs: number[]) => ({
  type: 'frames',
  ref,
  frames: seqs.map((seq) => ({ cursor: String(seq), frame: { seq } })),
})
const end = (ref: string | undefined, cursor: string) => ({ type: 'end', ref, cursor, outcome: 'completed' })
const cursors = (items: readonly object[]) => items.map((item) => ('cursor' in item ? item.cursor : item))

describe("subscribe() with transport 'ws'", () => {
  test('reads many sessions over one connection, and closes it behind the last', async () => {
    const { client, peer } = await connect(({ type, ref, session }, socket) => {
      if (type !== 'subscribe') return
      const first = Number(session?.slice('sess_'.length)) * 10
      send(socket, { type: 'subscribed', ref, session, head: String(first + 1) })
      send(socket, frames(ref, first, first + 1))
      send(socket, end(ref, String(first + 1)))
    })
    const sessions = Array.from({ length: 20 }, (_, index) => `sess_${index}`)
    const all = await Promise.all(
      sessions.map((session) => collect(client.subscribe(session, { transport: 'ws', dialect: 'aaep' }))),
    )
    for (const [index, items] of all.entries())
      expect(items).toEqual([
        { type: 'frame', cursor: `${index * 10}`, frame: { seq: index * 10 } },
        { type: 'frame', cursor: `${index * 10 + 1}`, frame: { seq: index * 10 + 1 } },
        { type: 'end', cursor: `${index * 10 + 1}`, outcome: 'completed' },
      ])
    expect(peer.connections()).toBe(1)
    await peer.emptied()
  })

  test('tells how far the session had come when reading began', async () => {
    const { client } = await connect(({ type, ref, session }, socket) => {
      if (type !== 'subscribe') return
      send(socket, { type: 'subscribed', ref, session, head: '1' })
      send(socket, frames(ref, 0, 1))
      send(socket, end(ref, '1'))
    })
    const states: object[] = []
    const onConnection = (state: object) => void states.push(state)
    await collect(client.subscribe('sess_a', { transport: 'ws', onConnection }))
    expect(states.slice(0, 2)).toEqual([{ status: 'connecting' }, { status: 'catching-up', head: '1' }])
  })

  test('offers its token as a subprotocol, in base64url', async () => {
    const protocols: string[] = []
    class Spied extends WebSocket {
      constructor(url: string, offered: string[]) {
        protocols.push(...offered)
        super(url, offered)
      }
    }
    const { client } = await connect(({ ref }, socket) => send(socket, end(ref, '0')), {
      WebSocket: Spied,
      token: 'ключ?>',
    })
    await collect(client.subscribe('sess_a', { transport: 'ws' }))
    expect(protocols[0]).toBe('sluice.v1')
    const encoded = protocols[1]?.slice('bearer.'.length) ?? ''
    expect(encoded).toMatch(/^[\w-]+$/)
    expect(Buffer.from(encoded, 'base64url').toString()).toBe('ключ?>')
  })

  test('subscribes anew from its cursor when the connection breaks', async () => {
    const { client, peer } = await connect(({ ref, after }, socket) => {
      if (after === '-1') {
        send(socket, frames(ref, 0, 1))
        socket.close(1012)
      } else {
        send(socket, frames(ref, 1, 2))
        send(socket, end(ref, '2'))
      }
    })
    const items = await collect(client.subscribe('sess_a', { transport: 'ws' }))
    expect(cursors(items)).toEqual(['0', '1', '2', '2'])
    expect(peer.connections()).toBe(2)
  })

  test('reads on over another connection while a reader of the broken one has not noticed yet', async () => {
    let breakOff = () => {}
    const { client, peer } = await connect(({ ref, after }, socket) => {
      breakOff = () => socket.close()
      send(socket, after === '-1' ? frames(ref, 0) : end(ref, '0'))
    })
    const idle = client.subscribe('sess_idle', { transport: 'ws' })
    const busy = client.subscribe('sess_busy', { transport: 'ws' })
    await Promise.all([idle.next(), busy.next()])
    breakOff()
    expect((await busy.next()).value).toMatchObject({ type: 'end' })
    expect((await idle.next()).value).toMatchObject({ type: 'end' })
    expect(peer.messages.filter(({ type }) => type === 'subscribe')).toHaveLength(4)
  })

  test('unsubscribes when its reader leaves and others stay', async () => {
    let unsubscribed = (_ref: string | undefined) => {}
    const gone = new Promise<string | undefined>((resolve) => {
      unsubscribed = resolve
    })
    const { client, peer } = await connect(({ type, ref }, socket) => {
      if (type === 'unsubscribe') unsubscribed(ref)
      else send(socket, frames(ref, 0))
    })
    const stays = client.subscribe('sess_stays', { transport: 'ws' })
    const leaves = client.subscribe('sess_leaves', { transport: 'ws' })
    await Promise.all([stays.next(), leaves.next()])
    await leaves.return()
    const { ref } = peer.messages.find(({ session }) => session === 'sess_leaves') ?? {}
    expect(await gone).toBe(ref)
    await stays.return()
  })

  test('takes the cursors of heartbeats, and surfaces a gap', async () => {
    const { client, peer } = await connect(({ ref, after }, socket) => {
      if (after === '-1') {
        send(socket, { type: 'heartbeat', cursors: { [ref ?? '']: '8', other: '90' } })
        socket.close()
      } else if (after === '8') send(socket, { type: 'gap', ref, requested: '8', oldest: '-1', head: '0' })
      if (after === '8') {
        send(socket, frames(ref, 0))
        send(socket, end(ref, '0'))
      }
    })
    const items = await collect(client.subscribe('sess_a', { transport: 'ws' }))
    expect(items.map(({ type }) => type)).toEqual(['gap', 'frame', 'end'])
    expect(peer.messages.filter(({ type }) => type === 'subscribe').map(({ after }) => after)).toEqual([
      '-1',
      '8',
    ])
  })

  test('throws an error of its own subscription and leaves the others alone', async () => {
    const { client, peer } = await connect(({ ref, session }, socket) => {
      if (session === 'sess_gone')
        send(socket, { type: 'error', ref, code: 'unknown_session', message: 'No.' })
      if (session === 'sess_here') send(socket, frames(ref, 0))
    })
    const here = client.subscribe('sess_here', { transport: 'ws' })
    await here.next()
    await expect(client.subscribe('sess_gone', { transport: 'ws' }).next()).rejects.toMatchObject({
      code: 'unknown_session',
      message: 'No.',
    })
    expect(peer.connections()).toBe(1)
    await here.return()
    await peer.emptied()
  })

  test('pauses the subscription of a slow reader and loses nothing, while others read on', async () => {
    const text = 'x'.repeat(50_000)
    const total = 200
    const stopped = new Set<string>()
    const { client, peer } = await connect(({ type, ref = '', session, after }, socket) => {
      if (type === 'unsubscribe') stopped.add(ref)
      if (type !== 'subscribe') return
      const write = (seq: number): void => {
        if (stopped.has(ref)) return
        if (seq === total) {
          send(socket, end(ref, String(total - 1)))
          return
        }
        const message = { type: 'frames', ref, frames: [{ cursor: String(seq), frame: { session, text } }] }
        socket.send(JSON.stringify(message), () => setImmediate(write, seq + 1))
      }
      write(Number(after) + 1)
    })
    const slow = client.subscribe('sess_slow', { transport: 'ws' })
    expect((await slow.next()).value).toMatchObject({ cursor: '0' })
    const quick = await collect(client.subscribe('sess_quick', { transport: 'ws' }))
    expect(quick).toHaveLength(total + 1)
    expect(stopped.size).toBeGreaterThan(0)
    const rest = await collect(slow)
    expect(cursors(rest)).toEqual([...Array.from({ length: total - 1 }, (_, seq) => String(seq + 1)), '199'])
    expect(peer.connections()).toBe(1)
  })

  test('leaves a connection that fell silent', async () => {
    const clock = createDrivenClock()
    const { client, peer } = await connect(
      ({ ref, after }, socket) => send(socket, after === '-1' ? frames(ref, 0) : end(ref, '0')),
      { clock, heartbeatMs: 1_000 },
    )
    const items = client.subscribe('sess_a', {
      transport: 'ws',
      onConnection({ status }) {
        if (status === 'waiting') clock.nextTimer().then((waitMs) => clock.advance(waitMs))
      },
    })
    await items.next()
    const timer = clock.nextTimer()
    const next = items.next()
    await timer
    clock.advance(2_500)
    expect((await next).value).toMatchObject({ type: 'end' })
    expect(peer.connections()).toBe(2)
  })

  test('asks over HTTP why a handshake was refused', async () => {
    const { client, peer } = await connect(
      () => {},
      {},
      {
        handle: (_, response) => answerJson(response, { code: 'unauthenticated' }, { status: 401 }),
        isRefused: () => true,
      },
    )
    await expect(client.subscribe('sess_a', { transport: 'ws' }).next()).rejects.toMatchObject({
      code: 'unauthenticated',
    })
    expect(peer.requests).toHaveLength(1)
  })

  test.each([
    [200, { frames: [], cursor: '-1', end: false }],
    [410, { code: 'gap' }],
    [503, { code: 'overloaded' }],
  ])('tries again when the refusal was not for a reason that stays: %d', async (status, body) => {
    let refusals = 2
    const { client } = await connect(
      ({ ref }, socket) => send(socket, end(ref, '0')),
      {},
      { handle: (_, response) => answerJson(response, body, { status }), isRefused: () => refusals-- > 0 },
    )
    expect(await collect(client.subscribe('sess_a', { transport: 'ws' }))).toHaveLength(1)
  })

  test('comes back after messages that are none of a gateway, and passes over those of a later version', async () => {
    const broken = [
      '{',
      '[]',
      '{"type":"frames","ref":"REF","frames":[{"cursor":"0","frame":1}]}',
      '{"type":"error"}',
    ]
    const { client, peer } = await connect(({ type, ref = '' }, socket) => {
      if (type !== 'subscribe') return
      const next = broken.shift()
      if (next !== undefined) socket.send(next.replace('REF', ref))
      else {
        send(socket, { type: 'of_the_future', ref })
        send(socket, end(ref, '0'))
      }
    })
    expect(await collect(client.subscribe('sess_a', { transport: 'ws' }))).toHaveLength(1)
    expect(peer.connections()).toBe(5)
  })

  test('an abort while it connects closes the connection', async () => {
    const { client, peer } = await connect(() => {})
    const controller = new AbortController()
    const items = client.subscribe('sess_a', {
      transport: 'ws',
      signal: controller.signal,
      onConnection: ({ status }) => status === 'connecting' && controller.abort(new Error('enough')),
    })
    await expect(items.next()).rejects.toThrow('enough')
    await peer.emptied()
  })

  test.skipIf('WebSocket' in globalThis)('needs a WebSocket', async () => {
    const client = createClient({ url: 'http://localhost' })
    expect(() => client.subscribe('sess_a', { transport: 'ws' })).toThrowError(
      expect.objectContaining({ code: 'bad_config' }),
    )
  })
})
