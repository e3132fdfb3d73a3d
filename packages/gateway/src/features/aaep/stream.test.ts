import type { Entry, SluiceEvent } from '@sluice/protocol'
import { createDrivenClock } from '@sluice/protocol/testing'
import { expect, test } from 'vitest'
import { createSessionTime } from '../../kernel/sessions/session-time.ts'
import { createGrowingSession, openPacedSession } from '../../testing/open-paced-session.ts'
import { delta, settled } from '../../testing/open-test-subscriptions.ts'
import { entriesAt } from '../../testing/pace-text.ts'
import { createTestConnection } from '../../testing/test-connection.ts'
import { createStream, type StreamParts } from './stream.ts'
import type { Terms } from './terms.ts'

const start: SluiceEvent = { kind: 'session-start' }
const at0 = 1_800_000_000_000

function calls(count: number): readonly SluiceEvent[] {
  return Array.from({ length: count }, (_, index) => ({
    kind: 'tool-call',
    call: `c${index}`,
    tool: 'search',
  }))
}

/** A stream of some sessions, on a clock that the test drives. */
async function openStream(
  ids: readonly string[],
  terms: Partial<Terms> = {},
  parts: Partial<StreamParts> = {},
) {
  const clock = createDrivenClock(at0)
  const connection = createTestConnection()
  const stream = createStream({
    clock,
    connection,
    maxEventsPerSecond: terms.maxEventsPerSecond,
    journal: undefined,
    isComplete: () => true,
    onSent: () => {},
    onClosed: () => {},
    ...parts,
  })
  const sessions = new Map(ids.map((id) => [id, createGrowingSession(id, createSessionTime(clock))]))
  for (const [id, session] of sessions)
    stream.add((await openPacedSession({ terms, session, onMore: () => stream.wake(id) })).paced)
  const say = (id: string, entries: readonly Entry[]): void => {
    sessions.get(id)?.grow(entries)
    stream.accept(id, entries)
  }
  return { clock, connection, stream, say }
}

test('nothing is written before the start, nor while the connection takes nothing', async () => {
  const { connection, stream, say } = await openStream(['sess_a'])
  const entries = entriesAt([start, ...calls(3)], () => at0)
  say('sess_a', entries.slice(0, 1))
  expect(connection.events).toEqual([])
  connection.stall()
  stream.start()
  expect(connection.events.length).toBe(1)
  for (const entry of entries.slice(1)) say('sess_a', [entry])
  expect([connection.events.length, stream.isStalled, stream.lag]).toEqual([1, true, 3])
  connection.unstall()
  stream.drained()
  await settled()
  expect([connection.events.length, stream.isStalled, stream.lag]).toEqual([4, false, 0])
})

test('held text arms one timer, and an idle stream none', async () => {
  const { clock, connection, stream, say } = await openStream(['sess_a', 'sess_b'])
  stream.start()
  expect(clock.timers).toBe(0)
  for (const id of ['sess_a', 'sess_b'])
    say(
      id,
      entriesAt([start, delta('No end yet')], () => at0),
    )
  expect(clock.timers).toBe(1)
  expect(connection.events.length).toBe(2)
  clock.advance(8000)
  expect(connection.events.length).toBe(6)
  expect(clock.timers).toBe(0)
})

test('sessions that wait cost nothing while another one speaks', async () => {
  const ids = Array.from({ length: 200 }, (_, index) => `sess_${index}`)
  const { connection, stream, say } = await openStream(['sess_busy', ...ids], { boundaries: ['completion'] })
  stream.start()
  for (const id of ids)
    say(
      id,
      entriesAt([start, delta('Waits.')], () => at0),
    )
  const before = connection.events.length
  let looks = 0
  for (const paced of stream.sessions()) {
    const { step } = paced
    paced.step = (input) => {
      if (paced.session.id !== 'sess_busy') looks += 1
      return step(input)
    }
  }
  for (const entry of entriesAt([start, ...calls(50)], () => at0)) say('sess_busy', [entry])
  expect(connection.events.length).toBe(before + 51)
  expect(looks).toBe(0)
})

test('another rate holds at once, faster and slower', async () => {
  const { clock, connection, stream, say } = await openStream(['sess_a'], { maxEventsPerSecond: 1 })
  stream.start()
  say(
    'sess_a',
    entriesAt([start, ...calls(40)], () => at0),
  )
  expect(connection.events.length).toBe(1)
  stream.setRate(20)
  clock.advance(1000)
  const faster = connection.events.length
  expect(faster).toBeGreaterThanOrEqual(20)
  stream.setRate(1)
  clock.advance(2000)
  expect(connection.events.length).toBeLessThanOrEqual(faster + 3)
})

test('what cannot be made durable is not sent, and the stream is broken off', async () => {
  let isClosed = 0
  const { connection, stream, say, clock } = await openStream(
    ['sess_a'],
    {},
    {
      journal: () => Promise.reject(new Error('no space')),
      onClosed: () => {
        isClosed += 1
      },
    },
  )
  stream.start()
  say(
    'sess_a',
    entriesAt([start], () => at0),
  )
  await settled()
  expect([connection.end, connection.events.length, isClosed, clock.timers]).toEqual(['reset', 0, 1, 0])
  say('sess_a', [])
})

test('what is settled has been written', async () => {
  let keep = (): void => {}
  const journal = (): Promise<void> =>
    new Promise((resolve) => {
      keep = resolve
    })
  const { connection, stream, say } = await openStream(['sess_a'], {}, { journal })
  stream.start()
  say(
    'sess_a',
    entriesAt([start], () => at0),
  )
  const written = stream.settled().then(() => connection.events.length)
  keep()
  expect(await written).toBe(1)
})

test('heartbeats are sent when nothing else was, and not into a connection that is full', async () => {
  const { clock, connection, stream, say } = await openStream(['sess_a'])
  stream.start()
  clock.advance(20_000)
  stream.beat(clock.monotonic() - 15_000)
  stream.beat(clock.monotonic() - 15_000)
  expect(connection.heartbeats).toBe(1)
  connection.stall()
  say(
    'sess_a',
    entriesAt([start], () => clock.now()),
  )
  clock.advance(20_000)
  stream.beat(clock.monotonic() - 15_000)
  expect(connection.heartbeats).toBe(1)
})
