import { existsSync, statSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { connect, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createNdjsonDecoder, type JsonObject } from '@sluice/protocol'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { runSluice } from '../../packages/cli/src/testing/run-sluice.ts'
import { startGateway } from '../../packages/cli/src/testing/start-gateway.ts'
import { type GatewayProcess, startGatewayProcess } from '../testing/gateway-process.ts'
import { until } from '../testing/until.ts'

const patiently = { timeout: 60_000 }
const session = 'sess_transports'
let folder = ''
let path = ''
let gateway: GatewayProcess
let sockets: { destroy(): void }[]

beforeEach(async () => {
  sockets = []
  folder = await mkdtemp(join(tmpdir(), 'sluice-run-'))
  path = join(folder, 'aaep', 'sluice.sock')
  gateway = await startGatewayProcess({ settings: { SLUICE_AAEP_SOCKET: 'auto', XDG_RUNTIME_DIR: folder } })
})
afterEach(async () => {
  for (const socket of sockets) socket.destroy()
  await gateway.remove()
  await rm(folder, { recursive: true, force: true })
})

const publish = async (text: string): Promise<void> => {
  const response = await fetch(`${gateway.url}/v1/sessions/${session}/events?dialect=stream-event`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ type: 'answer_chunk', data: { content: text } }),
  })
  expect(response.status).toBe(200)
  await response.arrayBuffer()
}

const toRequest = (choice: JsonObject = {}) => ({
  type: 'subscription.request',
  aaep_version: '1.0.0',
  subscriber_id: 'e2e',
  capabilities: { coalesce_boundaries: ['none'] },
  extensions: { sluice: { sessions: [session], ...choice } },
})

/** A client that sends what the test says and keeps what it receives. */
interface Client {
  readonly heard: JsonObject[]
  send(message: object): void
  readonly end: () => unknown
}

async function openUnix(): Promise<Client> {
  const socket: Socket = connect(path)
  sockets.push(socket)
  const decoder = createNdjsonDecoder()
  const heard: JsonObject[] = []
  let end: unknown
  socket.on('data', (bytes) => {
    for (const line of decoder.push(bytes)) if (line.ok) heard.push(JSON.parse(line.text) as JsonObject) // an object
  })
  socket.on('error', () => {})
  socket.on('close', () => {
    end = 'closed'
  })
  return { heard, send: (message) => socket.write(`${JSON.stringify(message)}\n`), end: () => end }
}

async function openSocket(): Promise<Client> {
  const ws = new WebSocket(`${gateway.url.replace('http', 'ws')}/aaep/v1/ws`, 'aaep.v1', {
    headers: { authorization: `Bearer ${gateway.localKey}` },
  })
  sockets.push({ destroy: () => ws.terminate() })
  const heard: JsonObject[] = []
  let end: unknown
  ws.on('message', (data) => heard.push(JSON.parse(String(data)) as JsonObject)) // an object
  ws.on('error', () => {})
  ws.on('close', (code) => {
    end = code
  })
  await until(() => ws.readyState === ws.OPEN)
  return { heard, send: (message) => ws.send(JSON.stringify(message)), end: () => end }
}

const textOf = (heard: readonly JsonObject[]): string =>
  heard.map(({ chunk }) => (typeof chunk === 'string' ? chunk : '')).join('')
const lastIdOf = (heard: readonly JsonObject[]): string =>
  String(heard.findLast(({ event_id }) => event_id !== undefined)?.['event_id'])

describe.each([
  ['a WebSocket', openSocket, 1012],
  ['the Unix socket', openUnix, 'closed'],
] as const)('a client on %s', (_, open, ending) => {
  test('is let go at SIGTERM, comes back and goes on where it was', patiently, async () => {
    await publish('one ')
    const client = await open()
    client.send(toRequest())
    await until(() => textOf(client.heard) === 'one ')
    expect(await gateway.terminate()).toBe(0)
    await until(() => client.end() !== undefined)
    expect(client.end()).toBe(ending)
    expect(gateway.errors()).toBe('')
    await gateway.restart()
    await publish('two ')
    const again = await open()
    const { subscription_id = '' } = client.heard[0] ?? {}
    again.send(toRequest({ subscription_id, last_event_id: lastIdOf(client.heard) }))
    await until(() => textOf(again.heard) === 'two ')
    expect(again.heard[0]).toMatchObject({ type: 'subscription.accepted', subscription_id })
  })

  test('comes back to the next one after kill -9', patiently, async () => {
    await publish('one ')
    const client = await open()
    client.send(toRequest())
    await until(() => textOf(client.heard) === 'one ')
    await gateway.kill()
    await gateway.restart()
    await publish('two ')
    const again = await open()
    const { subscription_id = '' } = client.heard[0] ?? {}
    again.send(toRequest({ subscription_id, last_event_id: lastIdOf(client.heard) }))
    await until(() => textOf(again.heard) === 'two ')
  })
})

describe('the file of the Unix socket', () => {
  test(
    'is private, goes with the gateway, and is replaced where a killed one left it',
    patiently,
    async () => {
      expect(statSync(path).mode & 0o777).toBe(0o600)
      expect(statSync(join(folder, 'aaep')).mode & 0o777).toBe(0o700)
      await gateway.kill()
      expect(existsSync(path)).toBe(true)
      await gateway.restart()
      const client = await openUnix()
      client.send(toRequest())
      await until(() => client.heard.length > 0)
      expect(await gateway.terminate()).toBe(0)
      expect(existsSync(path)).toBe(false)
    },
  )

  test('keeps a second gateway from starting', patiently, async () => {
    const data = join(folder, 'other')
    const { code, stderr } = await runSluice(['serve', '--port', '0', '--data', data, '--aaep-socket', path])
    expect(code).not.toBe(0)
    expect(stderr).toContain(`Another process listens on ${path}.`)
  })
})

test('the manifest is signed from the moment in which there is a key', patiently, async () => {
  const address = `${gateway.url}/.well-known/aaep-manifest.json`
  const jose = { headers: { accept: 'application/jose' } }
  expect((await fetch(address, jose)).status).toBe(406)
  expect((await runSluice(['key', 'create', '--data', gateway.data])).code).toBe(0)
  await until(async () => (await fetch(address, jose)).status === 200)
  const { keys } = (await (await fetch(`${gateway.url}/.well-known/jwks.json`)).json()) as { keys: unknown[] }
  expect(keys).toHaveLength(1)
})

test('a reference client starts a session of the demo agent and follows it', patiently, async () => {
  const playing = await startGateway(join(folder, 'demo'))
  try {
    const response = await fetch(`${playing.url}/sessions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ user_message: 'A day in Faro.' }),
    })
    expect(response.status).toBe(202)
    const { session_id: id } = (await response.json()) as { readonly session_id: string }
    const events = await fetch(`${playing.url}/events?session=${id}`)
    let read = ''
    for await (const chunk of events.body ?? []) {
      read += new TextDecoder().decode(chunk)
      if (read.includes('agent.progress.updated')) break
    }
    expect(read).toContain('A day in Faro.')
    expect(read).toMatch(/^id: /m)
    expect(read).not.toContain('event:')
  } finally {
    await playing.end('SIGKILL')
  }
})
