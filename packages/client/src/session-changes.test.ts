import { afterEach, describe, expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { type ClientOptions, createClient } from './client.ts'
import type { ConnectionState } from './connection-state.ts'
import type { SessionChange } from './resources.ts'
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
  const client = createClient({ url: peer.url, WebSocket, transport: 'ws', random: () => 0, ...options })
  return { client, peer }
}

const send = (socket: WebSocket, message: object) => socket.send(JSON.stringify(message))
const session = (id: string, text = '') => ({ id, state: 'open', attributes: { text } })
const sendPage = (socket: WebSocket, ref: string | undefined, ...sessions: readonly object[]) => {
  send(socket, { type: 'watching', ref })
  send(socket, { type: 'sessions', ref, sessions })
  send(socket, { type: 'ready', ref })
}
const inShort = (change: SessionChange | undefined) =>
  change?.type === 'session'
    ? change.session.id
    : change?.type === 'deleted'
      ? `deleted ${change.id}`
      : change?.type

async function take(changes: AsyncIterator<SessionChange>, count: number) {
  const all: (string | undefined)[] = []
  while (all.length < count) all.push(inShort((await changes.next()).value))
  return all
}

describe("sessions.watch() with transport 'ws'", () => {
  test('tells the page and what changes, over the socket of the subscriptions', async () => {
    const { client, peer } = await connect(({ type, ref }, socket) => {
      if (type === 'subscribe') send(socket, { type: 'subscribed', ref, head: '0' })
      if (type === 'subscribe') send(socket, { type: 'frames', ref, frames: [{ cursor: '0', frame: {} }] })
      if (type !== 'watch') return
      sendPage(socket, ref, session('sess_a'), session('sess_b'))
      send(socket, { type: 'of_the_future', ref })
      send(socket, { type: 'sessions', ref, sessions: [session('sess_c')] })
      send(socket, { type: 'deleted', ref, id: 'sess_a' })
    })
    const states: ConnectionState['status'][] = []
    const items = client.subscribe('sess_a')
    await items.next()
    const changes = client.sessions.watch({
      state: 'open',
      labels: { team: 'red' },
      q: 'x',
      onConnection: ({ status }) => states.push(status),
    })
    expect(await take(changes, 6)).toEqual(['begin', 'sess_a', 'sess_b', 'ready', 'sess_c', 'deleted sess_a'])
    expect(states).toEqual(['connecting', 'catching-up', 'live'])
    const [, { ref, ...asked } = {}] = peer.messages
    expect(asked).toEqual({ type: 'watch', state: 'open', labels: { team: 'red' }, q: 'x' })
    await changes.return()
    await items.return()
    await peer.emptied()
    expect(peer.messages).toContainEqual({ type: 'unsubscribe', ref })
    expect(peer.connections()).toBe(1)
  })

  test('begins anew over another connection when one breaks', async () => {
    const { client, peer } = await connect(({ type, ref }, socket) => {
      if (type !== 'watch') return
      sendPage(socket, ref, session(`sess_${peer.connections()}`))
      if (peer.connections() === 1) socket.close(1012)
    })
    const changes = client.sessions.watch()
    expect(await take(changes, 6)).toEqual(['begin', 'sess_1', 'ready', 'begin', 'sess_2', 'ready'])
    await changes.return()
  })

  test('begins anew for a reader that fell behind, but never for a large page', async () => {
    const text = 'x'.repeat(100_000)
    const large = Array.from({ length: 30 }, (_, n) => session(`sess_${n}`, text))
    let unsubscribed = () => {}
    const paused = new Promise<void>((resolve) => {
      unsubscribed = resolve
    })
    let watches = 0
    const { client, peer } = await connect(({ type, ref }, socket) => {
      if (type === 'unsubscribe') unsubscribed()
      if (type !== 'watch') return
      watches += 1
      sendPage(socket, ref, ...large)
      if (watches > 1) return
      for (const each of large) send(socket, { type: 'sessions', ref, sessions: [each] })
    })
    const changes = client.sessions.watch()
    expect(await take(changes, 1)).toEqual(['begin'])
    await paused
    const told = await take(changes, 31)
    expect(told.at(-1)).toBe('ready')
    for (let next = ''; next !== 'begin'; ) next = (await take(changes, 1))[0] ?? ''
    expect(await take(changes, 31)).toEqual([...large.map(({ id }) => id), 'ready'])
    expect(watches).toBe(2)
    expect(peer.connections()).toBe(1)
    await changes.return()
  })

  test('throws what no repetition mends, and comes back after what may pass', async () => {
    const codes = ['storage_failed', 'bad_request']
    const { client, peer } = await connect(({ type, ref }, socket) => {
      if (type === 'watch') send(socket, { type: 'error', ref, code: codes.shift(), message: 'No.' })
    })
    await expect(client.sessions.watch().next()).rejects.toMatchObject({ code: 'bad_request' })
    expect(peer.messages.filter(({ type }) => type === 'watch')).toHaveLength(2)
  })

  test('comes back after a session that is none', async () => {
    let broken: unknown[] | undefined = [{ name: 'x' }]
    const { client, peer } = await connect(({ type, ref }, socket) => {
      if (type !== 'watch') return
      send(socket, { type: 'watching', ref })
      send(socket, { type: 'sessions', ref, sessions: broken ?? [session('sess_a')] })
      broken = undefined
    })
    const changes = client.sessions.watch()
    expect(await take(changes, 3)).toEqual(['begin', 'begin', 'sess_a'])
    expect(peer.connections()).toBe(2)
    await changes.return()
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
    await expect(client.sessions.watch().next()).rejects.toMatchObject({ code: 'unauthenticated' })
    expect(peer.requests.map(({ url }) => `${url.pathname}${url.search}`)).toEqual(['/v1/sessions?limit=1'])
  })

  test('is told over server-sent events where the call says so', async () => {
    const { client, peer } = await connect(() => {})
    await expect(client.sessions.watch({ transport: 'sse' }).next()).rejects.toThrow()
    expect(peer.requests[0]?.url.search).toBe('?live=true')
    expect(peer.connections()).toBe(0)
  })
})
