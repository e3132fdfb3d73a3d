import type { JsonObject } from '@sluice/protocol'
import { createDrivenClock, type DrivenClock } from '@sluice/protocol/testing'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { publishText } from '../testing/publish.ts'
import { until } from '../testing/until.ts'
import { readAudit } from './testing/audit.ts'
import { type Person, waysToAnswer } from './testing/person.ts'
import { type RestartingGateway, startRestartingGateway } from './testing/restarting-gateway.ts'

const session = 'sess_late'
const timeoutMs = 10_000
const graceMs = 30_000

const question = {
  kind: 'question-open',
  question: 'confirmation',
  token: 'rpl_late',
  text: 'Go on?',
  consequence: 'It goes on.',
  timeoutMs,
} as const

let clock: DrivenClock
let gateway: RestartingGateway
beforeEach(async () => {
  clock = createDrivenClock(Date.UTC(2026, 0, 1))
  gateway = await startRestartingGateway(clock)
})
afterEach(() => gateway?.stop())

async function ask(defaultDecision: 'accept' | 'reject'): Promise<void> {
  for (const event of [{ kind: 'session-start' }, { ...question, default: defaultDecision }])
    await publishText(gateway.url, session, { dialect: 'sluice', text: JSON.stringify({ events: [event] }) })
}

/** The state of the question, once everything that time brought about is stored. */
async function look(): Promise<JsonObject | undefined> {
  // Writes to a session are ordered: once this entry is stored, so is everything before it.
  const mark = JSON.stringify({ events: [{ kind: 'usage', inputTokens: 1 }] })
  await publishText(gateway.url, session, { dialect: 'sluice', text: mark })
  return (await readAudit(gateway.url, session))[0]
}

const meet = async (way: string): Promise<Person> => {
  const person = await waysToAnswer[way]?.({ url: gateway.url, key: gateway.key, session })
  if (person === undefined) throw new Error(`no such way: ${way}`)
  return person
}

const isOpen = expect.not.objectContaining({ how: expect.anything() })

describe('a question whose time runs out while the gateway is gone', () => {
  test.each(['accept', 'reject'] as const)(
    'is closed with its default (%s) 30 s after the start, not earlier, and once',
    async (decision) => {
      await ask(decision)
      clock.advance(timeoutMs - 1)
      expect(await look()).toEqual(isOpen)
      await gateway.stop()
      clock.advance(60_000)
      await gateway.start()
      const people = await Promise.all(Object.keys(waysToAnswer).map(meet))
      await Promise.all(people.map((person) => person.sees(1)))

      clock.advance(graceMs - 1)
      expect(await look()).toEqual(isOpen)
      for (const person of people) expect(person.counts()).toEqual({ questions: 1, outcomes: 0 })
      clock.advance(1)
      await Promise.all(people.map((person) => person.hears(1)))
      expect(await look()).toMatchObject({ how: 'timeout', decision })

      await gateway.stop()
      await gateway.start()
      clock.advance(2 * graceMs)
      const later = await look()
      expect(later).toMatchObject({ how: 'timeout', decision, closedSeq: expect.any(Number) })
      const witness = await meet('POST …/answers')
      await witness.answer(question.token, decision === 'accept' ? 'reject' : 'accept')
      await witness.hears(1)
      expect(await look()).toEqual(later)
      expect(witness.counts()).toEqual({ questions: 1, outcomes: 1 })
    },
  )

  test.each(Object.keys(waysToAnswer))('can be answered until then (%s)', async (way) => {
    await ask('reject')
    await gateway.stop()
    clock.advance(timeoutMs + 60_000)
    await gateway.start()
    clock.advance(graceMs - 1)
    const person = await meet(way)
    await person.answer(await person.sees(1), 'accept')
    await person.hears(1)
    clock.advance(2 * graceMs)
    expect(await look()).toMatchObject({ how: 'answered', decision: 'accept', via: person.via })
    expect(person.counts()).toEqual({ questions: 1, outcomes: 1 })
  })

  test('waits for the restart that is the last one', async () => {
    await ask('reject')
    for (let life = 0; life < 3; life += 1) {
      await gateway.stop()
      clock.advance(60_000)
      await gateway.start()
      clock.advance(graceMs - 1)
      expect(await look()).toEqual(isOpen)
    }
    clock.advance(1)
    await until(async () => (await look())?.['how'] !== undefined)
    expect(await look()).toMatchObject({ how: 'timeout', decision: 'reject' })
  })
})

test('a question with time left after a restart keeps its own deadline', async () => {
  await ask('reject')
  await gateway.stop()
  clock.advance(1_000)
  await gateway.start()
  clock.advance(graceMs - 1)
  expect(await look()).toEqual(isOpen)
  clock.advance(1)
  await until(async () => (await look())?.['how'] !== undefined)
  expect(await look()).toMatchObject({ how: 'timeout', decision: 'reject' })
})

test('an agent that keeps the time itself has 30 s more than that', async () => {
  const base = {
    '@context': 'https://aaep-protocol.org/context/v1',
    aaep_version: '1.0.0',
    session_id: session,
    timestamp: new Date(clock.now()).toISOString(),
    producer: { agent_id: 'own-time' },
    localization_hints: { primary_language: 'en' },
  }
  const started = {
    ...base,
    type: 'aaep:agent.session.started',
    event_id: 'evt_1',
    summary_normal: 'It began.',
  }
  const asked = {
    ...base,
    type: 'aaep:agent.awaiting.confirmation',
    event_id: 'evt_2',
    urgency: 'critical',
    action: 'Go on',
    consequence: 'It goes on.',
    reply_token: 'rpl_own',
    timeout_seconds: timeoutMs / 1000,
    default_decision: 'reject',
  }
  for (const event of [started, asked])
    await publishText(gateway.url, session, { dialect: 'aaep', text: JSON.stringify(event) })
  await gateway.stop()
  clock.advance(60_000)
  await gateway.start()
  clock.advance(2 * graceMs - 1)
  const person = await meet('AAEP with SSE and POST')
  await person.sees(1)
  expect(await look()).toEqual(isOpen)
  clock.advance(1)
  await person.hears(1)
  expect(await look()).toMatchObject({ how: 'timeout', decision: 'reject' })
  expect(person.counts()).toEqual({ questions: 1, outcomes: 1 })
})
