import { createMemoryLog, type Log } from '@sluice/log'
import { SluiceError } from '@sluice/protocol'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { createLarge } from '../../../testing/large-sessions.ts'
import { aaepConfirmation, aaepEvent, chunk } from '../../../testing/sample-lines.ts'
import { connectSocket, type Message, type SocketClient } from '../../../testing/socket-client.ts'
import { readEvents, readJson, type StartedGateway, startGateway } from '../../../testing/start-gateway.ts'

const hourMs = 3_600_000
const faults = { isBroken: false }
let gateway: StartedGateway
let client: SocketClient

beforeEach(async () => {
  const inner = createMemoryLog()
  const assertWhole = () => {
    if (faults.isBroken) throw new SluiceError('storage_failed')
  }
  const breaking: Log = {
    ...inner,
    async list(options) {
      assertWhole()
      return inner.list(options)
    },
    async head(session) {
      assertWhole()
      return inner.head(session)
    },
  }
  gateway = await startGateway({
    log: breaking,
    limits: { subscriptionsPerConnection: 40 },
    guests: { guest: ['subscribe:label:team=a'] },
  })
  client = await connectSocket(gateway.url, { headers: gateway.asOwner })
})
afterEach(async () => {
  faults.isBroken = false
  client.close()
  await gateway.close()
})

const create = (id: string, more: object = {}) => gateway.post('/v1/sessions', { id, ...more })
const end = (id: string) => gateway.post(`/v1/sessions/${id}/end`)
const remove = (id: string) =>
  gateway.request(`/v1/sessions/${id}`, { method: 'DELETE', headers: gateway.asOwner })

/** A short form of a message. */
function inShort({ type, sessions, id, code }: Message): string {
  const list = (sessions ?? []) as readonly { readonly id: string; readonly state: string }[] // of a message `sessions`
  return [type, id, code, ...list.map((each) => `${each.id} ${each.state}`)].filter(Boolean).join(' ')
}
const heard = async (count: number, from = client): Promise<string[]> => {
  const all: string[] = []
  while (all.length < count) all.push(inShort(await from.next()))
  return all
}

describe('watching', () => {
  test('tells the newest page, then every change, until it is told to end', async () => {
    await create('sess_a', { attributes: { note: 'kept' } })
    await create('sess_b')
    client.send({ type: 'watch', ref: 'w' })
    expect(await client.next()).toEqual({ type: 'watching', ref: 'w' })
    const page = await client.next()
    expect(page).toMatchObject({ type: 'sessions', ref: 'w' })
    expect(inShort(page)).toBe('sessions sess_a open sess_b open')
    const listed = await readJson(await gateway.request('/v1/sessions', { headers: gateway.asOwner }))
    expect([...(page['sessions'] as readonly unknown[])].reverse()).toEqual(listed['sessions']) // of a message `sessions`
    expect(await client.next()).toEqual({ type: 'ready', ref: 'w' })
    await gateway.publish('sess_c', [chunk('a')], '?dialect=stream-event')
    await end('sess_c')
    await remove('sess_c')
    expect(await heard(3)).toEqual(['sessions sess_c open', 'sessions sess_c ended', 'deleted sess_c'])
    client.send({ type: 'unsubscribe', ref: 'w' })
    expect(await client.next()).toEqual({ type: 'done', ref: 'w' })
    await create('sess_d')
    client.send({ type: 'watch', ref: 'w', q: 'none' })
    expect(await heard(3)).toEqual(['watching', 'sessions', 'ready'])
  })

  test('tells what the stream over HTTP tells', async () => {
    await create('sess_a')
    client.send({ type: 'watch', ref: 'w' })
    const stream = readEvents(
      await gateway.request('/v1/sessions?live=true', {
        headers: { accept: 'text/event-stream', ...gateway.asOwner },
      }),
    )
    expect(await heard(3)).toEqual(['watching', 'sessions sess_a open', 'ready'])
    expect([(await stream.next())?.event, (await stream.next())?.event]).toEqual(['session', 'ready'])
    const start = aaepEvent(
      { session: 'sess_q', name: 'session.started', id: 's' },
      { summary_normal: 'Go.' },
    )
    await gateway.publish('sess_q', [start], '?dialect=aaep')
    await gateway.publish('sess_q', [aaepConfirmation('sess_q', 'q', 'rpl_1')], '?dialect=aaep')
    await end('sess_q')
    for (let count = 0; count < 3; count++) {
      const { sessions } = await client.next()
      const data = (await stream.next())?.data ?? ''
      expect(sessions).toEqual([JSON.parse(data)])
    }
    await stream.close()
  })

  test('is filtered as a list is', async () => {
    await create('sess_a', { labels: { team: 'red' }, context: 'talk' })
    await create('sess_b', { labels: { team: 'blue' } })
    await end('sess_b')
    const page = async (filter: object) => {
      client.send({ type: 'watch', ref: JSON.stringify(filter), ...filter })
      const [, told] = await heard(3)
      return told
    }
    expect(await page({ state: 'ended' })).toBe('sessions sess_b ended')
    expect(await page({ labels: { team: 'red' } })).toBe('sessions sess_a open')
    expect(await page({ context: 'talk' })).toBe('sessions sess_a open')
    expect(await page({ q: 'BLUE' })).toBe('sessions sess_b ended')
    expect(await page({ q: '', context: '' })).toBe('sessions sess_a open sess_b ended')
  })

  test('tells only of what the credential reaches', async () => {
    const guest = await connectSocket(gateway.url, { headers: gateway.as('guest') })
    const labels = { team: 'a' }
    await create('sess_open1', { labels })
    await create('sess_secret')
    guest.send({ type: 'watch', ref: 'w' })
    expect(await heard(3, guest)).toEqual(['watching', 'sessions sess_open1 open', 'ready'])
    await end('sess_secret')
    await remove('sess_secret')
    await create('sess_open2', { labels })
    expect(await heard(1, guest)).toEqual(['sessions sess_open2 open'])
    guest.close()
  })

  test('has limits, beside subscriptions and of its own', async () => {
    client.send({ type: 'watch', ref: '0' })
    await heard(3)
    client.send({ type: 'watch', ref: '0' })
    expect(await client.next()).toMatchObject({ type: 'error', ref: '0', code: 'bad_request', path: '/ref' })
    for (let ref = 1; ref < 32; ref++) client.send({ type: 'watch', ref: String(ref) })
    await heard(31 * 3)
    client.send({ type: 'watch', ref: '32' })
    expect(await client.next()).toMatchObject({ ref: '32', code: 'too_many_connections', retryable: true })
    client.send({ type: 'unsubscribe', ref: '0' })
    client.send({ type: 'watch', ref: '32' })
    expect(await heard(4)).toEqual(['done', 'watching', 'sessions', 'ready'])
    await create('sess_a')
    for (let ref = 33; ref < 42; ref++)
      client.send({ type: 'subscribe', ref: String(ref), session: 'sess_a', after: 'now' })
    expect(await client.nextOf('error')).toMatchObject({ ref: '41', code: 'too_many_connections' })
  })

  test('refuses what it does not understand', async () => {
    const wrong = [
      {},
      { ref: 'w', state: 'odd' },
      { ref: 'w', labels: ['a'] },
      { ref: 'w', labels: { a: 1 } },
    ]
    for (const fields of wrong) {
      client.send({ type: 'watch', ...fields })
      expect(await client.next()).toMatchObject({ type: 'error', code: 'bad_request' })
    }
  })

  test('tells a store that cannot be read, and is asked again', async () => {
    faults.isBroken = true
    client.send({ type: 'watch', ref: 'w' })
    expect(await client.next()).toMatchObject({ ref: 'w', code: 'storage_failed', retryable: true })
    faults.isBroken = false
    client.send({ type: 'watch', ref: 'w' })
    expect(await heard(3)).toEqual(['watching', 'sessions', 'ready'])
  })
})

describe('a watcher that does not read', () => {
  test('costs names: it gets each session once, as it is when it reads on', async () => {
    const query = '?dialect=stream-event'
    await gateway.publish('sess_long', [chunk('start')], query)
    client.send({ type: 'watch', ref: 'w' })
    await heard(3)
    client.send({ type: 'subscribe', ref: 's', session: 'sess_long', dialect: 'stream-event' })
    await client.nextOf('frames')
    client.pause()
    const isStalled = async () =>
      /^sluice_\w*stalled\w* 1$/m.test(await (await gateway.request('/metrics')).text())
    const texts = Array.from({ length: 100 }, () => chunk('y'.repeat(10_000)))
    while (!(await isStalled())) await gateway.publish('sess_long', texts, query)
    for (const id of ['sess_a', 'sess_b', 'sess_c']) await create(id)
    for (const id of ['sess_a', 'sess_b']) await end(id)
    await remove('sess_a')
    client.resume()
    const told: string[] = []
    while (!told.includes('sessions sess_last open')) {
      const message = await client.next()
      if (message['ref'] === 'w') told.push(inShort(message))
      if (told.length === 2) await create('sess_last')
    }
    expect(told).toEqual(['sessions sess_b ended', 'sessions sess_c open', 'sessions sess_last open'])
  })

  test('loses the connection when it took nothing for an hour, and no earlier', async () => {
    client.send({ type: 'watch', ref: 'w' })
    await heard(3)
    client.pause()
    const large = await createLarge(gateway)
    gateway.clock.advance(hourMs - 60_000)
    client.resume()
    client.send({ type: 'ping' })
    await client.nextOf('pong')
    client.pause()
    for (const id of large) await end(id)
    gateway.clock.advance(hourMs + 60_000)
    client.resume()
    expect(await client.closed()).toBe(1006)
  })
})
