import { once } from 'node:events'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { findFreePort } from './free-port.ts'
import { runSluice, startSluice } from './testing/run-sluice.ts'
import { createDataDirectory, type GatewayProcess, readUntil, startGateway } from './testing/start-gateway.ts'

const patiently = { timeout: 60_000 }
const rounds = 2 * Number(process.env['SLUICE_ROUNDS'] ?? 1)

const chunk = (number: number): string => `{"type":"answer_chunk","data":{"text":"<${number}>"}}\n`

let data = ''
let removeData: () => Promise<void>
let gateway: GatewayProcess

beforeEach(async () => {
  const [directory, remove] = await createDataDirectory()
  data = directory
  removeData = remove
})
afterEach(async () => {
  await gateway.end('SIGKILL')
  await removeData()
})

test('publish and tail go on when a gateway is killed and comes back, and no event is lost or doubled', async () => {
  // Below the ports that the system gives to others while the gateway is gone.
  const port = String(await findFreePort('127.0.0.1', 20_000 + Math.floor(Math.random() * 12_000)))
  gateway = await startGateway(data, ['--port', port])
  const publisher = startSluice([
    'publish',
    'sess_long',
    '--dialect',
    'stream-event',
    '--end',
    '--data',
    data,
  ])
  let notes = ''
  publisher.stderr.setEncoding('utf8').on('data', (text: string) => {
    notes += text
  })
  publisher.stdin.write(chunk(0))
  await expect
    .poll(async () => (await fetch(`${gateway.url}/v1/sessions/sess_long`)).status, patiently)
    .toBe(200)
  const reader = startSluice(['tail', 'sess_long', '--output', 'text', '--data', data])
  let read = ''
  reader.stdout.setEncoding('utf8').on('data', (text: string) => {
    read += text
  })
  const ends = [publisher, reader].map(async (child) => (await once(child, 'exit'))[0] as number)
  await readUntil(reader.stdout, /<0>/)
  let written = 1
  for (let round = 0; round < rounds; round++) {
    for (const end = written + 50; written < end; written++) publisher.stdin.write(chunk(written))
    await gateway.end('SIGKILL')
    for (const end = written + 50; written < end; written++) publisher.stdin.write(chunk(written))
    gateway = await startGateway(data, ['--port', port])
  }
  publisher.stdin.end()
  expect(await Promise.all(ends)).toEqual([0, 0])
  const expected = Array.from({ length: written }, (_, number) => `<${number}>`).join('')
  expect(read).toContain(`${expected}\n`)
  expect((await runSluice(['tail', 'sess_long', '--output', 'text', '--data', data])).stdout).toBe(read)
  expect(notes).toMatch(/^(sluice: .* Trying again for a while\.\n)*$/)
})
