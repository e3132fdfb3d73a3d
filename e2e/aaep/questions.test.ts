import { join } from 'node:path'
import { createClient } from '@sluice/client'
import { addKey } from '@sluice/gateway/admin'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { collect } from '../../packages/client/src/testing/collect.ts'
import { runs } from '../../packages/client/src/testing/runs.ts'
import { type GatewayProcess, startGatewayProcess } from '../testing/gateway-process.ts'
import { readAudit } from './testing/audit.ts'
import { deletion, type Person, waysToAnswer } from './testing/person.ts'

const dialects = ['sluice', 'stream-event', 'agent-event', 'a2a', 'a2a-v1', 'aaep']

describe('several people who answer at the same moment, each in another way', () => {
  let gateway: GatewayProcess
  const keys = new Map<string, string>()
  beforeAll(async () => {
    // Subscriptions of earlier rounds still count.
    gateway = await startGatewayProcess({ settings: { SLUICE_AAEP_SUBSCRIPTIONS_PER_SUBJECT: '10000' } })
    const file = join(gateway.data, 'keys.json')
    for (const name of Object.keys(waysToAnswer)) {
      const made = { subject: `by ${name}`, grants: ['subscribe:*', 'answer:*'], createdAt: Date.now() }
      keys.set(name, addKey(file, made).key)
    }
  })
  afterAll(() => gateway?.remove())

  const connect = () => createClient({ url: gateway.url, token: gateway.localKey, random: () => 0.05 })

  test('one wins, the agent hears one decision, and everybody hears the outcome', async () => {
    const names = Object.keys(waysToAnswer)
    const winners = new Set<string>()
    const anyRound = fc.record({
      order: fc.shuffledSubarray(names, { minLength: 2 }),
      decisions: fc.array(fc.constantFrom('accept', 'reject'), {
        minLength: names.length,
        maxLength: names.length,
      }),
      dialect: fc.constantFrom(...dialects),
      questions: fc.integer({ min: 1, max: 3 }),
    })
    await fc.assert(
      fc.asyncProperty(anyRound, async ({ order, decisions, dialect, questions }) => {
        const session = await connect().createSession({ agent: 'tidy' })
        const people = new Map<string, Person>()
        for (const name of names) {
          const way = waysToAnswer[name]
          if (way === undefined) continue
          const key = keys.get(name) ?? ''
          people.set(name, await way({ url: gateway.url, key, session: session.id, dialect }))
        }
        const heard: string[] = []
        for (let round = 1; round <= questions; round += 1) {
          const asked = session.confirm(deletion)
          const tokens = await Promise.all([...people.values()].map((person) => person.sees(round)))
          expect(new Set(tokens).size).toBe(1)
          const answers = order.map((name, index) =>
            people.get(name)?.answer(tokens[0] ?? '', decisions[index] ?? 'reject'),
          )
          const { how, by, decision } = await asked
          await Promise.all(answers)
          expect(how).toBe('answered')
          heard.push(`${by}: ${decision}`)
          await Promise.all([...people.values()].map((person) => person.hears(round)))

          const winner = order.findIndex((name) => by === `by ${name}`)
          expect(winner).toBeGreaterThanOrEqual(0)
          expect(decision).toBe(decisions[winner])
          const name = order[winner] ?? ''
          winners.add(name)
          const audit = await readAudit(gateway.url, session.id)
          expect(audit).toHaveLength(round)
          expect(audit.at(-1)).toMatchObject({
            token: tokens[0],
            how,
            by,
            decision,
            via: people.get(name)?.via,
          })
        }
        await session.complete()
        const inputs = await collect(connect().inputs(session.id))
        const decided = inputs.flatMap((item) =>
          item.type === 'frame' && item.frame.type === 'answer'
            ? [`${item.frame.by}: ${item.frame.decision}`]
            : [],
        )
        expect(decided).toEqual(heard)
        for (const person of people.values()) {
          expect(person.counts()).toEqual({ questions, outcomes: questions })
          person.cut()
        }
      }),
      { numRuns: runs(25) },
    )
    console.info(`won by: ${[...winners].join(', ')}`)
    expect(winners.size).toBeGreaterThan(1)
    expect(gateway.errors()).not.toContain('"level":50')
  })
})
