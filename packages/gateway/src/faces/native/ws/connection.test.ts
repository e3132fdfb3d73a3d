import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { chunk, published } from '../../../testing/sample-lines.ts'
import { connectSocket, type Message, type SocketClient } from '../../../testing/socket-client.ts'
import { type StartedGateway, startGateway } from '../../../testing/start-gateway.ts'

const id = 'sess_ws'
const dialect = 'stream-event'
let gateway: StartedGateway
let client: SocketClient

beforeEach(async () => {
  gateway = await startGateway({ limits: { eventBytes: 20_000, bodyBytes: 100_000 } })
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

describe('a connection', () => {
  test('is closed with 1009 for a message that is too large', async () => {
    client.send('x'.repeat(300_000))
    expect(await client.closed()).toBe(1009)
  })

  test('is closed with 1012 when the gateway shuts down', async () => {
    const closed = gateway.gateway.close()
    expect(await client.closed()).toBe(1012)
    await closed
  })

  test('has a heartbeat when nothing else was sent', async () => {
    gateway.clock.advance(15_000)
    expect(await client.next()).toEqual({ type: 'heartbeat', cursors: {} })
  })

  test('that does not read is not written to, and loses nothing', async () => {
    const text = 'y'.repeat(10_000)
    await say('start')
    await ask({ type: 'subscribe', ref: 's', session: id, dialect })
    await client.nextOf('frames')
    client.pause()
    let sent = 1
    const stalled = async () =>
      /^sluice_\w*stalled\w* 1$/m.test(await (await gateway.request('/metrics')).text())
    while (!(await stalled())) {
      await say(...Array.from({ length: 100 }, () => text))
      sent += 100
    }
    await say(...Array.from({ length: 100 }, () => text))
    sent += 100
    client.resume()
    let last = 0
    for (let count = 1; count < sent; ) {
      const frames = framesOf(await client.nextOf('frames'))
      for (const { cursor } of frames) {
        last += 1
        expect(cursor).toBe(String(last))
      }
      count += frames.length
    }
  })

  test('shares itself fairly among its subscriptions', async () => {
    const text = 'y'.repeat(10_000)
    await gateway.publish(
      'sess_long',
      Array.from({ length: 2000 }, () => chunk(text)),
      `?dialect=${dialect}`,
    )
    await say('a')
    client.pause()
    client.send({ type: 'subscribe', ref: 'long', session: 'sess_long', dialect })
    client.send({ type: 'subscribe', ref: 'short', session: id, dialect })
    client.resume()
    let before = 0
    for (;;) {
      const message = await client.next()
      if (message['type'] === 'frames' && message['ref'] === 'short') break
      if (message['type'] === 'frames') before += framesOf(message).length
    }
    expect(before).toBeLessThan(2000)
  })
})

test('an upgrade beyond the limits of connections is refused', async () => {
  const few = await startGateway({ limits: { connectionsPerSubject: 1 } })
  const first = await connectSocket(few.url, { headers: few.asOwner })
  await expect(connectSocket(few.url, { headers: few.asOwner })).rejects.toThrow('429')
  first.close()
  await few.close()
})

test('a connection that answers nothing for two heartbeats is gone', async () => {
  client.pause()
  gateway.clock.advance(15_000)
  gateway.clock.advance(15_000)
  gateway.clock.advance(15_000)
  client.resume()
  expect(await client.closed()).toBe(1006)
})

test('a heartbeat tells once the cursors that moved without a frame', async () => {
  await say('a')
  await ask({ type: 'subscribe', ref: 's', session: id, dialect })
  await client.nextOf('frames')
  // Closes a question that nobody asked: an entry without an event, so without a frame here.
  const nothing = published({ kind: 'question-close', token: 'none', how: 'cancelled' })
  await gateway.publish(id, [nothing], '?dialect=sluice')
  const told: unknown[] = []
  for (let beats = 0; beats < 3; beats++) {
    gateway.clock.advance(15_000)
    told.push((await client.nextOf('heartbeat'))['cursors'])
    await ask({ type: 'ping' })
  }
  expect(told.filter((cursors) => JSON.stringify(cursors) === '{"s":"1"}')).toHaveLength(1)
})
