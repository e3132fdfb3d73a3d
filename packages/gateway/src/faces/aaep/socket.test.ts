import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { confirmationReply, subscriptionRequest } from '../../testing/aaep-messages.ts'
import { aaepConfirmation, aaepEvent } from '../../testing/sample-lines.ts'
import { connectSocket, type Message, type SocketClient } from '../../testing/socket-client.ts'
import { readJson, type StartedGateway, startGateway } from '../../testing/start-gateway.ts'
import { until } from '../../testing/until.ts'

const id = 'sess_aaepws'
let gateway: StartedGateway
let clients: SocketClient[]

beforeEach(async () => {
  clients = []
  gateway = await startGateway()
  await publish(
    aaepEvent({ session: id, name: 'session.started', id: 'one' }, { summary_normal: 'It begins.' }),
  )
})
afterEach(async () => {
  for (const client of clients) client.close()
  await gateway.close()
})

const publish = (...lines: readonly string[]) => gateway.publish(id, lines, '?dialect=aaep')
const ending = aaepEvent({ session: id, name: 'session.completed', id: 'end' }, { summary_normal: 'Done.' })

async function connect(headers: Record<string, string> = gateway.asOwner): Promise<SocketClient> {
  const client = await connectSocket(gateway.url, { path: '/aaep/v1/ws', protocols: ['aaep.v1'], headers })
  clients.push(client)
  return client
}

async function subscribe(capabilities = {}, choice = {}): Promise<[SocketClient, Message]> {
  const client = await connect()
  client.send(subscriptionRequest([id], capabilities, choice))
  return [client, await client.next()]
}

const nameOf = (message: Message): unknown => String(message['type']).replace('aaep:agent.', '')
const isKept = async (subscription: unknown): Promise<boolean> => {
  const response = await gateway.request(`/aaep/v1/subscriptions/${subscription}`, {
    headers: gateway.asOwner,
  })
  await response.arrayBuffer()
  return response.status === 200
}

describe('a conversation over WebSocket', () => {
  test('speaks the subprotocol, or none', async () => {
    expect((await connect()).ws.protocol).toBe('aaep.v1')
    const plain = await connectSocket(gateway.url, { path: '/aaep/v1/ws', protocols: [] })
    clients.push(plain)
    plain.send(subscriptionRequest([id]))
    expect(await plain.next()).toMatchObject({ type: 'subscription.accepted' })
  })

  test('accepts, sends what was and what comes, and ends behind the last session', async () => {
    const [client, accepted] = await subscribe()
    expect(accepted).toMatchObject({
      type: 'subscription.accepted',
      manifest_uri: `${gateway.url}/.well-known/aaep-manifest.json`,
    })
    expect(nameOf(await client.next())).toBe('session.started')
    await publish(ending)
    expect(nameOf(await client.nextOf('aaep:agent.session.completed'))).toBe('session.completed')
    expect(await client.closed()).toBe(4000)
    expect(await isKept(accepted['subscription_id'])).toBe(true)
  })

  test('takes a subscription up again behind an event, also after the connection broke', async () => {
    const [client, accepted] = await subscribe()
    const first = await client.next()
    client.close()
    await publish(
      aaepEvent(
        { session: id, name: 'handoff.requested', id: 'h' },
        { reason: 'r', target_kind: 'human', urgency: 'critical' },
      ),
    )
    const [again, repeated] = await subscribe(
      {},
      { subscription_id: accepted['subscription_id'], last_event_id: first['event_id'] },
    )
    expect(repeated['subscription_id']).toBe(accepted['subscription_id'])
    expect(nameOf(await again.next())).toBe('handoff.requested')
  })

  test('answers questions', async () => {
    const [client] = await subscribe({ supports_confirmation_reply: true })
    await publish(aaepConfirmation(id, 'ask', 'rpl_one'))
    await client.nextOf('aaep:agent.awaiting.confirmation')
    client.send(confirmationReply('rpl_one', 'accept'))
    const response = async () =>
      readJson(await gateway.request(`/v1/sessions/${id}/questions`, { headers: gateway.asOwner }))
    await until(async () => JSON.stringify(await response()).includes('"decision":"accept"'))
    expect((await response())['questions']).toMatchObject([{ by: 'local', via: 'aaep', how: 'answered' }])
  })

  test('renegotiates; a refused one is told, and ends it', async () => {
    const [client, { subscription_id }] = await subscribe()
    await client.next()
    const renegotiate = { type: 'subscription.renegotiate', subscription_id }
    client.send({ ...renegotiate, capabilities: { pace_wpm: 200 } })
    expect(await client.nextOf('subscription.accepted')).toMatchObject({
      honored_capabilities: { pace_wpm: 200 },
    })
    client.send({ ...renegotiate, capabilities: { pace_wpm: 1 } })
    expect(await client.nextOf('subscription.rejected')).toMatchObject({
      reason_code: 'capabilities_incompatible',
    })
    expect(await client.closed()).toBe(4001)
    expect(await isKept(subscription_id)).toBe(false)
  })

  test('closes when it is told to, in words or with a code; a break keeps the subscription', async () => {
    const [said, one] = await subscribe()
    said.send({
      type: 'subscription.close',
      subscription_id: one['subscription_id'],
      reason_code: 'subscriber_shutdown',
      reason_message: 'Bye.',
    })
    expect(await said.closed()).toBe(4005)
    expect(await isKept(one['subscription_id'])).toBe(false)
    const [coded, two] = await subscribe()
    coded.ws.close(4000)
    await until(async () => !(await isKept(two['subscription_id'])))
    const [broken, three] = await subscribe()
    broken.close()
    await broken.closed()
    expect(await isKept(three['subscription_id'])).toBe(true)
  })

  test('applies the default when the last one who could answer closes', async () => {
    const [client, { subscription_id }] = await subscribe({ supports_confirmation_reply: true })
    await gateway.publish(
      'sess_other',
      [
        '{"v":1,"events":[{"kind":"question-open","question":"confirmation","token":"t","text":"?","default":"reject"}]}',
      ],
      '?dialect=sluice',
    )
    const [other] = [await connect()]
    other.send(subscriptionRequest(['sess_other'], { supports_confirmation_reply: true }))
    const accepted = await other.next()
    const state = async () =>
      readJson(await gateway.request('/v1/sessions/sess_other/questions', { headers: gateway.asOwner }))
    // The ticket does not cover the session of the question.
    client.send({ type: 'subscription.close', subscription_id, reason_code: 'a', reason_message: 'b' })
    await client.closed()
    expect(JSON.stringify(await state())).not.toContain('closedAt')
    const { subscription_id: last } = accepted
    other.send({ type: 'subscription.close', subscription_id: last, reason_code: 'a', reason_message: 'b' })
    expect(await other.closed()).toBe(4005)
    expect((await state())['questions']).toMatchObject([{ decision: 'reject' }])
  })

  test('comes back after the gateway stopped: 1012, and the subscription stays', async () => {
    const [client] = await subscribe()
    await client.next()
    const unheard = await connect()
    const closing = gateway.close()
    expect(await client.closed()).toBe(1012)
    expect(await unheard.next()).toMatchObject({ reason_code: 'transport_unavailable' })
    await closing
  })
})

describe('a bad client on a WebSocket', () => {
  /** Other clients keep reading whatever happens. */
  async function assertOthersRead(): Promise<void> {
    const [healthy] = await subscribe()
    expect(nameOf(await healthy.next())).toBe('session.started')
    await publish(ending)
    await healthy.nextOf('aaep:agent.session.completed')
  }

  test.each([
    ['garbage', 'garbage'],
    ['a reply before the request', JSON.stringify(confirmationReply('rpl_x', 'accept'))],
    ['another JSON value', '[]'],
    ['deep nesting', '['.repeat(5000)],
  ])('is rejected for %s', async (_, text) => {
    const client = await connect()
    client.send(text)
    expect(await client.next()).toMatchObject({ type: 'subscription.rejected', reason_code: 'unknown' })
    expect(await client.closed()).toBe(4001)
  })

  test('is rejected for a binary frame', async () => {
    const client = await connect()
    client.ws.send(Buffer.from(JSON.stringify(subscriptionRequest([id]))))
    expect(await client.next()).toMatchObject({ reason_code: 'unknown' })
    expect(await client.closed()).toBe(4001)
  })

  test('is told of a bad credential, and closed with 4002', async () => {
    const client = await connect({ authorization: 'Bearer wrong' })
    expect(await client.next()).toMatchObject({ reason_code: 'authentication_required' })
    expect(await client.closed()).toBe(4002)
    const strange = { path: '/aaep/v1/ws', headers: { origin: 'https://evil.example' } }
    await expect(connectSocket(gateway.url, strange)).rejects.toThrow('403')
  })

  test('is rejected when it asks for nothing within a minute', async () => {
    const client = await connect()
    gateway.clock.advance(60_000)
    expect(await client.next()).toMatchObject({ reason_code: 'unknown' })
    expect(await client.closed()).toBe(4001)
  })

  test('keeps what it has after garbage, binary frames, bad replies and a second request', async () => {
    const [client] = await subscribe()
    await client.next()
    client.send('garbage')
    client.ws.send(Buffer.of(1, 2, 3))
    client.send({ type: 'confirmation.reply' })
    client.send({ type: 'subscription.close', subscription_id: 'sub_another' })
    client.send(subscriptionRequest([id]))
    expect(await client.next()).toMatchObject({ type: 'subscription.rejected', reason_code: 'unknown' })
    await publish(ending)
    expect(nameOf(await client.nextOf('aaep:agent.session.completed'))).toBe('session.completed')
  })

  test('is closed for a message over 1 MiB, and others read on', async () => {
    const [client] = await subscribe()
    client.send(`"${'x'.repeat(1024 * 1024)}"`)
    expect(await client.closed()).toBe(1009)
    await assertOthersRead()
  })

  test('is closed for a flood, and others read on', async () => {
    const [client] = await subscribe()
    for (let i = 0; i < 5000; i++) client.send(confirmationReply(`rpl_${i}`, 'accept'))
    expect(await client.closed()).toBe(4004)
    await assertOthersRead()
  })
})
