import { type AaepSubscription, createClient } from '@sluice/client'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { localKey, type StartedGateway, startGateway } from '../client/start-gateway.ts'

let gateway: StartedGateway
beforeAll(async () => {
  gateway = await startGateway()
})
afterAll(() => gateway?.close())

const connect = () =>
  createClient({ url: gateway.url, token: localKey, WebSocket, transport: 'ws', random: () => 0 })

/** The events up to the first of this type. */
async function readTo(events: AaepSubscription, type: string) {
  const read = []
  for (;;) {
    const { value } = await events.next()
    if (value === undefined) throw new Error(`it ended before ${type}`)
    read.push(value)
    if (value.type === `aaep:agent.${type}`) return read
  }
}

const textOf = (events: readonly object[]) =>
  events.map((event) => ('chunk' in event ? event.chunk : '')).join('')

describe('an AAEP subscription over a WebSocket', () => {
  test('reads a session to its end, answers what it asks, and is closed', async () => {
    const client = connect()
    const session = await client.createSession({ agent: 'tidy', language: 'en' })
    const events = client.subscribeAaep({ supports_confirmation_reply: true }, { sessions: [session.id] })
    const { subscription_id } = await events.accepted
    session.text('I found old files. ')
    const asked = session.confirm({
      action: 'Delete them',
      consequence: 'They are gone.',
      irreversible: true,
    })
    const before = await readTo(events, 'awaiting.confirmation')
    const question = before.at(-1)
    if (question === undefined) throw new Error('no question')
    await events.reply(question, 'accept')
    expect(await asked).toMatchObject({ decision: 'accept', how: 'answered' })
    session.text('Done.')
    await session.complete()
    const after = await readTo(events, 'session.completed')
    expect(textOf([...before, ...after])).toBe('I found old files. Done.')
    expect(await events.next()).toEqual({ done: true, value: undefined })
    await events.close()
    await expect(
      connect().subscribeAaep({}, { subscription: subscription_id }).accepted,
    ).rejects.toMatchObject({ code: 'unknown_subscription' })
  })

  test('is taken up behind the last event over the one transport and the other', async () => {
    const client = connect()
    const session = await client.createSession({ agent: 'teller' })
    const first = client.subscribeAaep({ coalesce_boundaries: ['none'] }, { sessions: [session.id] })
    const { subscription_id: subscription } = await first.accepted
    const parts = ['One. ', 'Two. ', 'Three. ', 'Four. ']
    const read = []
    let events = first
    for (const [index, part] of parts.entries()) {
      session.text(part)
      read.push(...(await readTo(events, 'output.streaming')))
      await events.return()
      const lastEventId = read.at(-1)?.event_id ?? ''
      const transport = index % 2 === 0 ? 'sse' : 'ws'
      events = connect().subscribeAaep({}, { subscription, lastEventId, transport })
    }
    await session.complete()
    read.push(...(await readTo(events, 'session.completed')))
    expect(textOf(read)).toBe(parts.join(''))
    const ids = read.map(({ event_id }) => event_id)
    expect(new Set(ids).size).toBe(ids.length)
    await events.close()
  })

  test('keeps its terms when it is taken up again, also renegotiated ones', async () => {
    const client = connect()
    const session = await client.createSession({ agent: 'teller' })
    const terms = { max_events_per_second: 10, coalesce_boundaries: ['none' as const] }
    const events = client.subscribeAaep(terms, { sessions: [session.id] })
    const { subscription_id: subscription } = await events.accepted
    await events.renegotiate({ max_events_per_second: 5 })
    session.text('One. ')
    const read = await readTo(events, 'output.streaming')
    await events.return()
    const again = client.subscribeAaep({}, { subscription, lastEventId: read.at(-1)?.event_id ?? '' })
    session.text('Two. ')
    await readTo(again, 'output.streaming')
    await again.return()
    const { honored_capabilities } = await connect().subscribeAaep({}, { subscription }).accepted
    expect(honored_capabilities).toMatchObject({
      max_events_per_second: 5,
      coalesce_boundaries: ['none'],
    })
    await session.complete()
  })

  test('fails for whoever reads it when somebody else closes it', async () => {
    const client = connect()
    const session = await client.createSession({ agent: 'teller' })
    const events = client.subscribeAaep({}, { sessions: [session.id] })
    const { subscription_id: subscription } = await events.accepted
    session.text('One. ')
    await readTo(events, 'session.started')
    const next = readTo(events, 'session.completed')
    const other = connect().subscribeAaep({}, { subscription })
    await other.accepted
    await other.close()
    await expect(next).rejects.toMatchObject({ code: 'unknown_subscription' })
    await session.complete()
  })

  test('is refused with a reason', async () => {
    const wrong = connect().subscribeAaep({ pace_wpm: 1 })
    await expect(wrong.next()).rejects.toMatchObject({
      details: { reason_code: 'capabilities_incompatible' },
    })
    const stranger = createClient({ url: gateway.url, token: 'sluice_wrong', WebSocket, transport: 'ws' })
    await expect(stranger.subscribeAaep().next()).rejects.toMatchObject({ code: 'unauthenticated' })
  })
})
