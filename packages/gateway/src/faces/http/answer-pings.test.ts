import { once } from 'node:events'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { connectSocket, type SocketClient } from '../../testing/socket-client.ts'
import { type StartedGateway, startGateway } from '../../testing/start-gateway.ts'

let gateway: StartedGateway
let client: SocketClient
beforeEach(async () => {
  gateway = await startGateway()
})
afterEach(async () => {
  client.close()
  await gateway.close()
})

const places = [
  ['/v1/ws', 'sluice.v1'],
  ['/aaep/v1/ws', 'aaep.v1'],
] as const

const connect = async (path: string, protocol: string): Promise<void> => {
  client = await connectSocket(gateway.url, { path, protocols: [protocol], headers: gateway.asOwner })
}

test.each(places)('%s answers each ping with its data', async (path, protocol) => {
  await connect(path, protocol)
  for (const data of ['one', '', 'two']) {
    const answered = once(client.ws, 'pong')
    client.ws.ping(data)
    expect(String((await answered)[0])).toBe(data)
  }
})

test.each(places)('%s keeps one pong for a client that does not read', async (path, protocol) => {
  await connect(path, protocol)
  // More than the buffers of two sockets take.
  const sent = 120_000
  client.pause()
  const written = Array.from({ length: sent / 1000 }, (_, group) => {
    for (let i = 0; i < 999; i++) client.ws.ping('x'.repeat(125))
    const data = String(group).padStart(125, '0')
    return new Promise((resolve) => client.ws.ping(data, true, resolve))
  })
  await Promise.all(written)
  let count = 0
  const last = String(written.length - 1).padStart(125, '0')
  const all = new Promise<void>((resolve) => {
    client.ws.on('pong', (data: Buffer) => {
      count += 1
      if (String(data) === last) resolve()
    })
  })
  client.resume()
  await all
  expect(count).toBeLessThan(sent)
})

test('/v1/ws closes a connection with more messages than it would read ahead', async () => {
  await connect('/v1/ws', 'sluice.v1')
  for (let i = 0; i < 20_000; i++) client.send('1')
  expect(await client.closed()).toBe(1013)
})
