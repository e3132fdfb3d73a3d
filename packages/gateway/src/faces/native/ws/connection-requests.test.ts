import { createMemoryLog } from '@sluice/log'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { createFaultyLog, type FaultyLog } from '../../../testing/faulty-log.ts'
import { entriesIn } from '../../../testing/open-test-writer.ts'
import { aaepConfirmation, aaepEvent, chunk } from '../../../testing/sample-lines.ts'
import { connectSocket, type Message, type SocketClient } from '../../../testing/socket-client.ts'
import { type StartedGateway, startGateway } from '../../../testing/start-gateway.ts'
import { until } from '../../../testing/until.ts'

const id = 'sess_ws'
const dialect = 'stream-event'
const event = (text: string): unknown => JSON.parse(chunk(text))
let gateway: StartedGateway
let log: FaultyLog
let client: SocketClient

beforeEach(async () => {
  log = createFaultyLog(createMemoryLog())
  gateway = await startGateway({
    log,
    limits: { eventBytes: 20_000, bodyBytes: 100_000, subscriptionsPerConnection: 3 },
  })
  client = await connectSocket(gateway.url, { headers: gateway.asOwner })
})
afterEach(async () => {
  client.close()
  await gateway.close()
})

const say = (...texts: readonly string[]) => gateway.publish(id, texts.map(chunk), `?dialect=${dialect}`)
const ask = async (message: object): Promise<Message> => {
  client.send(message)
  return client.next()
}
const framesOf = (message: Message) =>
  message['frames'] as readonly { readonly cursor: string; readonly frame: unknown }[] // of a message `frames`

describe('connecting', () => {
  test('speaks the subprotocol', () => {
    expect(client.ws.protocol).toBe('sluice.v1')
  })

  test('takes the token as a second subprotocol', async () => {
    const token = `bearer.${Buffer.from(gateway.key).toString('base64url')}`
    const other = await connectSocket(gateway.url, { protocols: ['sluice.v1', token] })
    expect(other.ws.protocol).toBe('sluice.v1')
    await say('a')
    other.send({ type: 'cancel', ref: 'c', session: id })
    expect(await other.next()).toMatchObject({ type: 'done', ref: 'c' })
    other.close()
  })

  test('is refused to wrong tokens, strange pages and at other addresses', async () => {
    const headers = { authorization: 'Bearer wrong' }
    await expect(connectSocket(gateway.url, { headers })).rejects.toThrow('401')
    await expect(connectSocket(gateway.url, { headers: { origin: 'https://evil.example' } })).rejects.toThrow(
      '403',
    )
    await expect(connectSocket(gateway.url, { headers: { host: 'evil.example' } })).rejects.toThrow('403')
    await expect(connectSocket(`${gateway.url}/other`)).rejects.toThrow('404')
  })
})

describe('subscribing', () => {
  test('gives what was there, what comes, and the end', async () => {
    await say('a', 'b')
    expect(await ask({ type: 'subscribe', ref: 's', session: id, dialect })).toEqual({
      type: 'subscribed',
      ref: 's',
      session: id,
      head: '1',
    })
    const first = await client.next()
    expect(first).toMatchObject({ type: 'frames', ref: 's' })
    expect(framesOf(first)).toEqual([
      { cursor: '0', frame: event('a') },
      { cursor: '1', frame: event('b') },
    ])
    await say('c')
    expect(framesOf(await client.next())).toEqual([{ cursor: '2', frame: event('c') }])
    await gateway.post(`/v1/sessions/${id}/end`)
    expect(await client.nextOf('end')).toEqual({ type: 'end', ref: 's', cursor: '3', outcome: 'completed' })
    // The subscription has ended, so its name is free again.
    expect(await ask({ type: 'subscribe', ref: 's', session: id, after: '3' })).toMatchObject({
      type: 'subscribed',
    })
    expect(await client.next()).toMatchObject({ type: 'end', ref: 's' })
  })

  test('goes on behind a cursor, or at the end, or tells a gap', async () => {
    await say('a', 'b')
    await ask({ type: 'subscribe', ref: 'x', session: id, dialect, after: '0' })
    expect(framesOf(await client.next())).toMatchObject([{ cursor: '1' }])
    await ask({ type: 'subscribe', ref: 'y', session: id, dialect, after: 'now' })
    await ask({ type: 'subscribe', ref: 'z', session: id, dialect, after: '9' })
    expect(await client.next()).toEqual({ type: 'gap', ref: 'z', requested: '9', oldest: '-1', head: '1' })
    expect(framesOf(await client.next())).toHaveLength(2)
    await say('c')
    const refs = [await client.next(), await client.next(), await client.next()].map(({ ref }) => ref)
    expect(refs.sort()).toEqual(['x', 'y', 'z'])
  })

  test('ends when it is told to', async () => {
    await say('a')
    await ask({ type: 'subscribe', ref: 's', session: id, dialect })
    await client.next()
    expect(await ask({ type: 'unsubscribe', ref: 's' })).toEqual({ type: 'done', ref: 's' })
    await say('b')
    expect(await ask({ type: 'ping', ref: 'p' })).toEqual({ type: 'pong', ref: 'p' })
  })

  test('has limits', async () => {
    await say('a')
    await ask({ type: 'subscribe', ref: '1', session: id, after: 'now' })
    expect(await ask({ type: 'subscribe', ref: '1', session: id })).toMatchObject({
      code: 'bad_request',
      path: '/ref',
    })
    await ask({ type: 'subscribe', ref: '2', session: id, after: 'now' })
    await ask({ type: 'subscribe', ref: '3', session: id, after: 'now' })
    expect(await ask({ type: 'subscribe', ref: '4', session: id })).toMatchObject({
      type: 'error',
      ref: '4',
      code: 'too_many_connections',
      retryable: true,
    })
  })

  test('ends with an error when the session is deleted', async () => {
    await say('a')
    await ask({ type: 'subscribe', ref: 's', session: id, after: 'now' })
    await gateway.request(`/v1/sessions/${id}`, { method: 'DELETE', headers: gateway.asOwner })
    expect(await client.next()).toMatchObject({
      type: 'error',
      ref: 's',
      code: 'session_deleted',
      retryable: false,
    })
  })
})

describe('publishing', () => {
  test('answers what HTTP would', async () => {
    const events = [event('a'), 7, event('b')]
    const done = await ask({ type: 'publish', ref: 'p', session: id, dialect, events })
    expect(done).toMatchObject({ type: 'done', ref: 'p', accepted: 3, duplicates: 0, cursor: '2' })
    expect(await entriesIn(log, id)).toHaveLength(3)
  })

  test('takes numbers of producers', async () => {
    const numbered = (seq: number) => ({
      type: 'publish',
      ref: `p${seq}`,
      session: id,
      dialect,
      events: [event('a')],
      producer: { name: 'me', epoch: 0, seq },
    })
    expect(await ask(numbered(0))).toMatchObject({ accepted: 1 })
    expect(await ask(numbered(0))).toMatchObject({ duplicates: 1 })
    expect(await ask(numbered(5))).toMatchObject({
      type: 'error',
      ref: 'p5',
      code: 'producer_gap',
      expected: 1,
    })
  })

  test('is bounded by event', async () => {
    const events = [event('x'.repeat(30_000)), event('a')]
    expect(await ask({ type: 'publish', ref: 'p', session: id, dialect, events })).toMatchObject({
      accepted: 1,
      refused: [{ line: 1, code: 'event_too_large' }],
    })
  })

  test('is done in the order in which it came, and tells a store that fails', async () => {
    const release = log.hold()
    for (const [index, text] of ['a', 'b', 'c'].entries())
      client.send({ type: 'publish', ref: String(index), session: id, dialect, events: [event(text)] })
    client.send({ type: 'ping', ref: 'p' })
    await until(() => log.appends.length === 1)
    release()
    const refs = [await client.next(), await client.next(), await client.next(), await client.next()]
    expect(refs.map(({ ref }) => ref)).toEqual(['0', '1', '2', 'p'])
    log.failAppends('storage_full', 0)
    expect(
      await ask({ type: 'publish', ref: 'x', session: id, dialect, events: [event('d')] }),
    ).toMatchObject({
      type: 'error',
      code: 'storage_full',
      retryable: true,
    })
  })
})

test('answers, cancels and messages reach the agent', async () => {
  const start = aaepEvent({ session: id, name: 'session.started', id: 's' }, { summary_normal: 'Go.' })
  await gateway.publish(id, [start, aaepConfirmation(id, 'q', 'rpl_1')], '?dialect=aaep')
  const to = { session: id }
  expect(await ask({ type: 'answer', ref: 'a', ...to, token: 'rpl_1', decision: 'accept' })).toEqual({
    type: 'done',
    ref: 'a',
    counted: true,
  })
  expect(await ask({ type: 'cancel', ref: 'c', ...to, reason: 'Enough.' })).toEqual({
    type: 'done',
    ref: 'c',
    cursor: '3',
  })
  expect(await ask({ type: 'message', ref: 'm', ...to, text: 'Hi.', id: 'm1' })).toEqual({
    type: 'done',
    ref: 'm',
    cursor: '4',
    id: 'm1',
  })
  expect((await entriesIn(log, id)).map(({ direction }) => direction)).toEqual([
    'event',
    'event',
    'input',
    'input',
    'input',
  ])
})

test('what cannot be understood is told with its place, and the connection goes on', async () => {
  const wrong: readonly (readonly [object | string, string])[] = [
    ['no JSON', 'bad_request'],
    ['[]', 'bad_request'],
    [{ type: 'odd' }, 'bad_request'],
    [{ type: 'subscribe', session: id }, 'bad_request'],
    [{ type: 'subscribe', ref: 'r', session: 'sess_none' }, 'unknown_session'],
    [{ type: 'subscribe', ref: 'r', session: id, dialect: 'latin' }, 'unknown_dialect'],
    [{ type: 'subscribe', ref: 'r', session: id, after: 'x' }, 'bad_cursor'],
    [{ type: 'subscribe', ref: 'r', session: id, coalesce: 'x' }, 'bad_request'],
    [{ type: 'publish', ref: 'r', session: id, events: [] }, 'bad_request'],
    [{ type: 'message', ref: 'r', session: id }, 'bad_request'],
  ]
  for (const [message, code] of wrong)
    expect(await ask(message as object)).toMatchObject({ type: 'error', code })
  client.ws.send(Buffer.from('{"type":"ping"}'), { binary: true })
  expect(await client.next()).toMatchObject({ type: 'error', code: 'bad_request' })
  expect(await ask({ type: 'ping' })).toEqual({ type: 'pong' })
})
