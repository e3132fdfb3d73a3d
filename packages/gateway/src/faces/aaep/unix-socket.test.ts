import { existsSync, mkdtempSync, rmSync, statSync } from 'node:fs'
import { connect, createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { defaultConfig } from '../../config/config.ts'
import { confirmationReply, subscriptionRequest } from '../../testing/aaep-messages.ts'
import { aaepConfirmation, aaepEvent } from '../../testing/sample-lines.ts'
import type { Message } from '../../testing/socket-client.ts'
import { readJson, type StartedGateway, startGateway } from '../../testing/start-gateway.ts'
import { until } from '../../testing/until.ts'
import { createMessageReader, type Framing, frameMessage } from './unix-socket-framing.ts'

const id = 'sess_unix'
let folder = ''
let path = ''
let gateway: StartedGateway
let sockets: Socket[]

const start = (limits = {}) =>
  startGateway({ config: { aaep: { ...defaultConfig.aaep, socket: path } }, limits })

beforeEach(async () => {
  sockets = []
  folder = mkdtempSync(join(tmpdir(), 'sluice-unix-'))
  path = join(folder, 'aaep', 's.sock')
  gateway = await start()
  await publish(
    aaepEvent({ session: id, name: 'session.started', id: 'one' }, { summary_normal: 'It begins.' }),
  )
})
afterEach(async () => {
  for (const socket of sockets) socket.destroy()
  await gateway.close()
  rmSync(folder, { recursive: true })
})

const publish = (...lines: readonly string[]) => gateway.publish(id, lines, '?dialect=aaep')

interface Client {
  readonly socket: Socket
  send(message: object): void
  /** The next message; undefined at the end. */
  next(): Promise<Message | undefined>
}

async function open(framing: Framing): Promise<Client> {
  const socket = connect(path)
  sockets.push(socket)
  const reader = createMessageReader(16 * 1024 * 1024)
  const waiting: Message[] = []
  let isOver = false
  let wake = (): void => {}
  socket.on('error', () => {})
  socket.on('data', (bytes) => {
    for (const received of reader.push(bytes))
      waiting.push(JSON.parse(received.type === 'message' ? (received.text ?? '') : '') as Message) // an object
    wake()
  })
  socket.on('close', () => {
    isOver = true
    wake()
  })
  return {
    socket,
    send: (message) => socket.write(frameMessage(JSON.stringify(message), framing)),
    async next() {
      while (waiting.length === 0 && !isOver)
        await new Promise<void>((resolve) => {
          wake = resolve
        })
      return waiting.shift()
    },
  }
}

describe.each(['lines', 'prefixed'] as const)('a Unix socket with %s', (framing) => {
  test('subscribes, delivers, takes answers and ends with a reason', async () => {
    const client = await open(framing)
    client.send(subscriptionRequest([id], { supports_confirmation_reply: true }))
    const accepted = await client.next()
    // Only the owner can open the socket, so this client may answer.
    expect(accepted).toMatchObject({ honored_capabilities: { supports_confirmation_reply: true } })
    expect(await client.next()).toMatchObject({ type: 'aaep:agent.session.started' })
    await publish(aaepConfirmation(id, 'ask', 'rpl_one'))
    let message = await client.next()
    while (message?.['type'] !== 'aaep:agent.awaiting.confirmation') message = await client.next()
    client.send(confirmationReply('rpl_one', 'accept'))
    const audit = async () => readJson(await gateway.request(`/v1/sessions/${id}/questions`))
    await until(async () => JSON.stringify(await audit()).includes('"by":"local"'))
    client.send({
      type: 'subscription.close',
      subscription_id: accepted?.['subscription_id'],
      reason_code: 'bye',
      reason_message: 'Bye.',
    })
    while (message?.['type'] !== 'subscription.close') message = await client.next()
    expect(message).toMatchObject({ reason_code: 'subscriber_closed' })
    expect(await client.next()).toBeUndefined()
  })

  test('says that the gateway stops', async () => {
    const client = await open(framing)
    client.send(subscriptionRequest([id]))
    await client.next()
    await client.next()
    await gateway.close()
    expect(await client.next()).toMatchObject({ type: 'subscription.close', reason_code: 'restarting' })
    expect(await client.next()).toBeUndefined()
    expect(existsSync(path)).toBe(false)
    gateway = await start()
  })

  test('tells a message that is too large, and others read on', async () => {
    const client = await open(framing)
    client.socket.write(frameMessage(JSON.stringify({ x: 'x'.repeat(1024 * 1024) }), framing))
    expect(await client.next()).toMatchObject({ type: 'subscription.rejected', reason_code: 'unknown' })
    expect(await client.next()).toBeUndefined()
    const other = await open(framing)
    other.send(subscriptionRequest([id]))
    expect(await other.next()).toMatchObject({ type: 'subscription.accepted' })
  })
})

describe('the file of a Unix socket', () => {
  test('belongs to its owner alone', () => {
    expect(statSync(path).mode & 0o777).toBe(0o600)
    expect(statSync(join(folder, 'aaep')).mode & 0o777).toBe(0o700)
  })

  test('is not taken from a process that listens', async () => {
    await expect(start()).rejects.toMatchObject({ code: 'address_in_use', details: { path } })
    const client = await open('lines')
    client.send(subscriptionRequest([id]))
    expect(await client.next()).toMatchObject({ type: 'subscription.accepted' })
  })

  test('is free again when the port is taken', async () => {
    await gateway.close()
    const blocker = createServer().listen(0, '127.0.0.1')
    await until(() => blocker.listening)
    const { port } = blocker.address() as { readonly port: number } // it listens on a port
    const config = { port, aaep: { ...defaultConfig.aaep, socket: path } }
    await expect(startGateway({ config })).rejects.toMatchObject({ code: 'address_in_use' })
    expect(existsSync(path)).toBe(false)
    blocker.close()
    gateway = await start()
  })
})

test('connections of a Unix socket count as others do', async () => {
  await gateway.close()
  gateway = await start({ connectionsPerSubject: 1 })
  const first = await open('lines')
  first.send(subscriptionRequest(undefined))
  expect(await first.next()).toMatchObject({ type: 'subscription.accepted' })
  const second = await open('lines')
  expect(await second.next()).toMatchObject({ reason_code: 'rate_limit' })
  expect(await second.next()).toBeUndefined()
})
