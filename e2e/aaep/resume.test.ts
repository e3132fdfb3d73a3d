import type { JsonObject } from '@sluice/protocol'
import { dialectById } from '@sluice/protocol/dialects'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { sessions as richSessions } from '../resume/rich-events.ts'
import { type GatewayProcess, startGatewayProcess } from '../testing/gateway-process.ts'
import { publishText } from '../testing/publish.ts'
import { rounds } from '../testing/rounds.ts'
import { until } from '../testing/until.ts'
import type { AaepReading, AaepRequest } from './testing/aaep-reading.ts'
import { aaepTransports } from './testing/aaep-transports.ts'
import { followSubscription } from './testing/following-subscriber.ts'
import { isTerminal, readTold, type Told, toTold } from './testing/told.ts'

const aaep = dialectById('aaep')
const rich = richSessions['sess_rich'] ?? []
const transports = [aaepTransports.sse, aaepTransports.ws]

/** Reads until every session has ended. */
async function readToEnd(reading: AaepReading, ends: number): Promise<readonly JsonObject[]> {
  await until(() => {
    if (reading.closed !== undefined && reading.closed !== 'over')
      throw new Error(`it ended (${reading.closed}) after ${reading.events.length} events`)
    return reading.closed === 'over' || reading.events.filter(isTerminal).length >= ends
  })
  const { events } = reading
  reading.cut()
  return events
}

/**
 * Resumes after each event in turn, and expects the same result every time. With many events, the soak
 * resumes after all of them and other runs after every fourth.
 */
async function resumeEverywhere(
  request: AaepRequest,
  { subscription, events }: AaepReading,
  { ends, expected }: { readonly ends: number; readonly expected: Told },
): Promise<number> {
  let all = [...events]
  expect(toTold(all)).toEqual(expected)
  const stride = all.length > 60 && rounds === 1 ? 4 : 1
  for (let index = 0; index < all.length; index += stride) {
    const open = transports[(index / stride) % 2] ?? aaepTransports.sse
    const had = all.slice(0, index + 1)
    const lastEventId = String(had[index]?.['event_id'])
    const reading = await open({ ...request, subscription, lastEventId })
    all = [...had, ...(await readToEnd(reading, ends - had.filter(isTerminal).length))]
    expect(toTold(all), `behind ${lastEventId}, event ${index}`).toEqual(expected)
    expect(new Set(all.map(({ event_id }) => event_id)).size).toBe(all.length)
    for (const event of all) expect(aaep.validate(event)).toEqual([])
  }
  return all.length
}

describe('a subscription', () => {
  let gateway: GatewayProcess
  beforeAll(async () => {
    gateway = await startGatewayProcess({ settings: { SLUICE_AAEP_SUBSCRIPTIONS_PER_SUBJECT: '1000' } })
  })
  afterAll(() => gateway?.remove())

  const publish = async (session: string, texts: readonly string[]): Promise<void> => {
    for (const text of texts) await publishText(gateway.url, session, { dialect: 'sluice', text })
  }
  const as = (more: Partial<AaepRequest>): AaepRequest => ({
    url: gateway.url,
    key: gateway.localKey,
    ...more,
  })

  test.each([
    ['one session', ['sess_one']],
    ['several', ['sess_a', 'sess_b', 'sess_c']],
  ])('goes on behind every event of %s, over SSE and WebSocket', async (_name, sessions) => {
    for (const session of sessions) await publish(session, rich)
    const request = as({ sessions })
    const expected = await readTold(gateway.url, sessions)
    const first = await aaepTransports.sse(request)
    await readToEnd(first, sessions.length)
    const resumed = await resumeEverywhere(request, first, { ends: sessions.length, expected })
    expect(resumed).toBeGreaterThan(20)
  })

  test('goes on behind every event of all sessions that begin after it', async () => {
    const request = as({})
    const first = await aaepTransports.ws(request)
    const sessions = ['sess_later1', 'sess_later2']
    for (const session of sessions) await publish(session, rich)
    const expected = await readTold(gateway.url, sessions)
    await readToEnd(first, sessions.length)
    await resumeEverywhere(request, first, { ends: sessions.length, expected })
  })

  const asking = (token: string) =>
    JSON.stringify({
      events: [
        { kind: 'question-open', question: 'confirmation', token, text: 'Go on?', timeoutMs: 600_000 },
      ],
    })
  const saying = (text: string) =>
    JSON.stringify({
      events: [{ kind: 'text-delta', output: 'main', take: 0, position: 0, text, channel: 'answer' }],
    })
  const ending = JSON.stringify({ events: [{ kind: 'session-end', outcome: 'completed' }] })

  test.each([
    ['one session', 1, true],
    ['several', 2, true],
    ['all', 2, false],
  ])('joins %s under way, and goes on behind what tells how they stand', async (name, count, isNamed) => {
    const names = Array.from({ length: count }, (_, index) => `way${name.replace(' ', '')}${index}`)
    const sessions = names.map((each) => `sess_${each}`)
    for (const each of names)
      await publish(`sess_${each}`, [saying('Before. '), asking(`rpl_${each}a`), asking(`rpl_${each}b`)])
    const request = as(isNamed ? { sessions, after: 'now' } : {})
    const first = await aaepTransports.sse(request)
    await until(
      () => first.events.filter(({ reply_token }) => reply_token !== undefined).length === 2 * count,
    )
    for (const session of sessions) await publish(session, [saying('After.'), ending])
    await readToEnd(first, count)
    const told = toTold(first.events)
    expect(Object.values(told.texts)).toEqual(sessions.map(() => 'After.'))
    const toldOf = (each: string) => [
      `aaep:agent.awaiting.confirmation rpl_${each}a`,
      `aaep:agent.awaiting.confirmation rpl_${each}b`,
      'aaep:agent.session.completed ',
    ]
    const events = Object.fromEntries(names.map((each) => [`sess_${each}`, toldOf(each)]))
    await resumeEverywhere(request, first, { ends: count, expected: { texts: told.texts, events } })
  })

  test('misses nothing of a session that had told nothing when the connection broke', async () => {
    const sessions = ['sess_quiet1', 'sess_quiet2']
    for (const session of sessions) await publish(session, [saying('Before. ')])
    // One event per second: nothing of the second session has left when the first event arrives.
    const request = as({ sessions, after: 'now' })
    const first = await aaepTransports.sse({ ...request, terms: { max_events_per_second: 1 } })
    await until(() => first.events.length === 1)
    first.cut()
    for (const session of sessions) await publish(session, [saying('Meanwhile. '), saying('After.'), ending])
    const { subscription, events } = first
    const lastEventId = String(events[0]?.['event_id'])
    const again = await aaepTransports.ws({ ...request, subscription, lastEventId })
    await readToEnd(again, 2)
    expect(Object.values(toTold(again.events).texts)).toEqual(['Meanwhile. After.', 'Meanwhile. After.'])
  })

  test('begins again for a client that came to no event', async () => {
    const sessions = ['sess_none']
    await publish('sess_none', rich)
    const first = await aaepTransports.sse(as({ sessions }))
    await until(() => first.events.length > 0)
    first.cut()
    const again = await aaepTransports.sse(as({ sessions, subscription: first.subscription }))
    expect(toTold(await readToEnd(again, 1))).toEqual(await readTold(gateway.url, sessions))
  })

  test.each([
    ['breaks off', async () => {}],
    ['is lost in a clean restart', async () => void (await gateway.terminate())],
    ['is lost in kill -9', () => gateway.kill()],
  ])('is told everything once when its connection %s', async (name, stop) => {
    const prefix = `sess_live${name.replace(/\W/g, '')}`
    const sessions = ['1', '2'].map((each) => `${prefix}${each}`)
    const scopes: readonly Partial<AaepRequest>[] = [
      { sessions: sessions.slice(0, 1) },
      { sessions },
      { sessions, terms: { coalesce_boundaries: ['none'] } },
      {},
    ]
    const followers = await Promise.all(
      scopes.map(async (scope) => {
        const request = as(scope)
        const { subscription, cut } = await aaepTransports.sse(request)
        cut()
        const ends = scope.sessions?.length ?? sessions.length
        return followSubscription({ ...request, subscription }, { ends, cutAfter: 3 })
      }),
    )
    for (const [index, text] of rich.entries()) {
      for (const session of sessions) await publish(session, [text])
      if (index % 20 !== 10) continue
      await stop()
      if (name !== 'breaks off') await gateway.restart()
    }
    await Promise.all(followers.map(({ done }) => done))
    for (const [index, follower] of followers.entries()) {
      const covered = scopes[index]?.sessions ?? sessions
      expect(toTold(follower.events)).toEqual(await readTold(gateway.url, covered))
      const ids = follower.events.map(({ event_id }) => event_id)
      expect(new Set(ids).size).toBe(ids.length)
      expect(follower.connections).toBeGreaterThan(5)
      for (const event of follower.events) expect(aaep.validate(event)).toEqual([])
    }
  })
})
