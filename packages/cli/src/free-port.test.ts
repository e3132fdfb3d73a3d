import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { expect, test } from 'vitest'
import { findFreePort } from './free-port.ts'

test('a port that is taken gives the next free one, and 0 leaves the choice to the system', async () => {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo // it listens on a port
  try {
    expect(await findFreePort('127.0.0.1', port)).toBeGreaterThan(port)
    expect(await findFreePort('127.0.0.1', 0)).toBe(0)
  } finally {
    server.close()
  }
  await once(server, 'close')
  expect(await findFreePort('127.0.0.1', port)).toBe(port)
})
