import { type AaepSubscription, createClient } from '@sluice/client'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { localKey, type StartedGateway, startGateway } from '../client/start-gateway.ts'

let gateway: StartedGateway
beforeAll(async () => {
  gateway = await startGateway()
})
afterAll(() => gateway?.close())

const connect = () => createClient({ url: gateway.url, token: localKey, random: () => 0 })

type AaepEvent = NonNullable<Awaited<ReturnType<AaepSubscription['next']>>['value']>

/** The events up to the first of this type. */
async function readTo(events: AaepSubscription, type: string): Promise<AaepEvent[]> {
  const read: AaepEvent[] = []
  for (;;) {
    const { value } = await events.next()
    if (value === undefined) throw new Error(`it ended before ${type}`)
    read.push(value)
    if (value.type === `aaep:agent.${type}`) return read
  }
}

const textOf = (events: readonly AaepEvent[]) =>
  events.map((event) => ('chunk' in event ? event.chunk : '')).join('')

describe('an AAEP subscription', () => {
  test('reads a session that an agent writes, and answers what it asks', async () => {
    const session = await connect().createSession({ agent: 'tidy', language: 'en' })
    const events = connect().subscribeAaep(
      { supports_confirmation_reply: true, languages: ['en'] },
      { sessions: [session.id] },
    )
    const { subscription_id, honored_capabilities } = await events.accepted
    expect(subscription_id).toMatch(/^sub_[A-Za-z0-9]{1,64}$/)
    expect(honored_capabilities).toMatchObject({ supports_confirmation_reply: true })
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
    await session.tool('rm', { irreversible: true }, () => {})
    session.text('Done.')
    await session.complete()
    const after = await readTo(events, 'session.completed')
    expect(textOf([...before, ...after])).toBe('I found old files. Done.')
    await events.close()
    await expect(
      connect().subscribeAaep({}, { subscription: subscription_id }).accepted,
    ).rejects.toMatchObject({ details: { status: expect.any(Number) } })
  })

  test('is taken up again behind the last event, by somebody else', async () => {
    const session = await connect().createSession({ agent: 'teller' })
    const first = connect().subscribeAaep({ coalesce_boundaries: ['none'] }, { sessions: [session.id] })
    const { subscription_id } = await first.accepted
    session.text('One. ')
    const read = await readTo(first, 'output.streaming')
    await first.return()
    session.text('Two. ')
    await session.complete()
    const lastEventId = read.at(-1)?.event_id ?? ''
    const second = connect().subscribeAaep({}, { subscription: subscription_id, lastEventId })
    const rest = await readTo(second, 'session.completed')
    expect(textOf([...read, ...rest])).toBe('One. Two. ')
    const ids = [...read, ...rest].map(({ event_id }) => event_id)
    expect(new Set(ids).size).toBe(ids.length)
    await second.close()
  })

  test('is renegotiated, and refused with a reason', async () => {
    const session = await connect().createSession({ agent: 'teller' })
    const events = connect().subscribeAaep({ max_events_per_second: 10 }, { sessions: [session.id] })
    const { honored_capabilities } = await events.renegotiate({ max_events_per_second: 5 })
    expect(honored_capabilities.max_events_per_second).toBeLessThanOrEqual(5)
    await session.complete()
    await events.close()
    const wrong = connect().subscribeAaep({ pace_wpm: 1 }, { sessions: [session.id] })
    await expect(wrong.accepted).rejects.toMatchObject({
      details: { reason_code: 'capabilities_incompatible' },
    })
  })
})
