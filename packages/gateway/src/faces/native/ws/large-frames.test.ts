import { afterEach, expect, test } from 'vitest'
import { chunk } from '../../../testing/sample-lines.ts'
import { connectSocket, type Message, type SocketClient } from '../../../testing/socket-client.ts'
import { type StartedGateway, startGateway } from '../../../testing/start-gateway.ts'

let gateway: StartedGateway | undefined
let client: SocketClient | undefined
afterEach(async () => {
  client?.close()
  await gateway?.close()
})

const query = '?dialect=stream-event'

test('frames larger than a slice arrive whole, beside other subscriptions and answers', async () => {
  gateway = await startGateway({})
  client = await connectSocket(gateway.url, { headers: gateway.asOwner })
  const large = 'L'.repeat(900_000)
  for (let count = 0; count < 6; count++) await gateway.publish('sess_large', [chunk(large)], query)
  const small = Array.from({ length: 300 }, (_, index) => chunk(`s${index} `))
  await gateway.publish('sess_small', small, query)
  client.pause()
  client.send({ type: 'subscribe', ref: 'large', session: 'sess_large', dialect: 'stream-event' })
  client.send({ type: 'subscribe', ref: 'small', session: 'sess_small', dialect: 'stream-event' })
  client.send({ type: 'ping', ref: 'p' })
  for (let count = 0; count < 6; count++) await gateway.publish('sess_large', [chunk(large)], query)
  await gateway.publish('sess_small', small, query)
  client.resume()

  const seen: Record<string, string[]> = { large: [], small: [] }
  let pongs = 0
  while (Number(seen['large']?.length) < 12 || Number(seen['small']?.length) < 600 || pongs < 1) {
    const message: Message = await client.next()
    if (message['type'] === 'pong') pongs += 1
    if (message['type'] !== 'frames') continue
    const frames = message['frames'] as readonly { readonly cursor: string }[] // of a message `frames`
    seen[String(message['ref'])]?.push(...frames.map(({ cursor }) => cursor))
  }
  expect(seen['large']).toEqual(Array.from({ length: 12 }, (_, seq) => String(seq)))
  expect(seen['small']).toEqual(Array.from({ length: 600 }, (_, seq) => String(seq)))
})

test('a subscription that is given up in the middle of a frame ends the connection', async () => {
  gateway = await startGateway({})
  client = await connectSocket(gateway.url, { headers: gateway.asOwner })
  for (let count = 0; count < 20; count++)
    await gateway.publish('sess_large', [chunk('L'.repeat(900_000))], query)
  client.pause()
  client.send({ type: 'subscribe', ref: 'large', session: 'sess_large', dialect: 'stream-event' })
  const stalled = async (): Promise<boolean> =>
    /^sluice_\w*stalled\w* 1$/m.test((await (await gateway?.request('/metrics'))?.text()) ?? '')
  while (!(await stalled())) await new Promise((resolve) => setImmediate(resolve))
  const closed = client.closed()
  await gateway.request('/v1/sessions/sess_large', { method: 'DELETE', headers: gateway.asOwner })
  client.resume()
  expect(await closed).toBe(1006)
})
