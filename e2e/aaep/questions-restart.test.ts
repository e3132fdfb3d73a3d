import { type AgentSession, createClient } from '@sluice/client'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { collect } from '../../packages/client/src/testing/collect.ts'
import { runs } from '../../packages/client/src/testing/runs.ts'
import { type GatewayProcess, startGatewayProcess } from '../testing/gateway-process.ts'
import { until } from '../testing/until.ts'
import { aaepTransports } from './testing/aaep-transports.ts'
import { readAudit } from './testing/audit.ts'
import { deletion, type Person, toPerson, waysToAnswer } from './testing/person.ts'

let gateway: GatewayProcess
beforeAll(async () => {
  gateway = await startGatewayProcess()
})
afterAll(() => gateway?.remove())

const connect = () => createClient({ url: gateway.url, token: gateway.localKey, random: () => 0.05 })

async function meet(way: string, session: string): Promise<Person> {
  const met = await waysToAnswer[way]?.({ url: gateway.url, key: gateway.localKey, session })
  if (met === undefined) throw new Error(`no such way: ${way}`)
  return met
}

/** Ends the session; returns the decisions that were sent to the agent. */
async function decisionsOf(session: AgentSession): Promise<readonly unknown[]> {
  await session.complete()
  const items = await collect(connect().inputs(session.id))
  return items.flatMap((item) =>
    item.type === 'frame' && item.frame.type === 'answer' ? [item.frame.decision] : [],
  )
}

const ways = Object.keys(waysToAnswer)
const other = (way: string): string => ways[(ways.indexOf(way) + 1) % ways.length] ?? ''

describe('a gateway that is killed', () => {
  test.each(ways)('between question and answer keeps the question; one answer counts (%s)', async (way) => {
    const session = await connect().createSession({ agent: 'tidy' })
    const asked = session.confirm(deletion)
    const before = await meet(way, session.id)
    const token = await before.sees(1)
    await gateway.kill()
    await gateway.restart()

    const after = await meet(way, session.id)
    const witness = await meet(other(way), session.id)
    expect(await after.sees(1)).toBe(token)
    expect(await witness.sees(1)).toBe(token)
    expect(await readAudit(gateway.url, session.id)).toEqual([
      expect.not.objectContaining({ how: expect.anything() }),
    ])
    await after.answer(token, 'accept')
    expect(await asked).toMatchObject({ decision: 'accept', how: 'answered' })
    await witness.answer(token, 'reject')
    await Promise.all([after.hears(1), witness.hears(1)])
    expect(await readAudit(gateway.url, session.id)).toMatchObject([
      { token, decision: 'accept', via: after.via },
    ])
    expect(await decisionsOf(session)).toEqual(['accept'])
  })

  test.each(['AAEP with SSE and POST', 'POST …/answers', 'the WebSocket /v1/ws'])(
    'right behind an acknowledged answer has it (%s)',
    async (way) => {
      const session = await connect().createSession({ agent: 'tidy' })
      const asked = session.confirm(deletion)
      const person = await meet(way, session.id)
      const token = await person.sees(1)
      await person.answer(token, 'accept')
      await gateway.kill()
      await gateway.restart()
      const late = await meet(other(way), session.id)
      await late.answer(await late.sees(1), 'reject')
      expect(await asked).toMatchObject({ decision: 'accept', how: 'answered' })
      await late.hears(1)
      expect(await readAudit(gateway.url, session.id)).toMatchObject([
        { token, decision: 'accept', via: person.via },
      ])
      expect(await decisionsOf(session)).toEqual(['accept'])
    },
  )

  test('while answers are on their way takes one of them, or leaves the question open', async () => {
    await fc.assert(
      fc.asyncProperty(fc.shuffledSubarray(ways, { minLength: 2 }), fc.nat(3), async (order, turns) => {
        const session = await connect().createSession({ agent: 'tidy' })
        const asked = session.confirm(deletion)
        const people = await Promise.all(order.map((way) => meet(way, session.id)))
        const [token = ''] = await Promise.all(people.map((person) => person.sees(1)))
        // Nobody learns whether the answer counted: the gateway dies first, or its response is lost.
        for (const person of people) person.answer(token, 'accept').catch(() => {})
        for (let turn = 0; turn < turns; turn += 1) await new Promise((resolve) => setImmediate(resolve))
        await gateway.kill()
        await gateway.restart()
        const [stood] = await readAudit(gateway.url, session.id)
        const late = await meet(order[0] ?? '', session.id)
        await late.answer(await late.sees(1), 'reject')
        const { decision, how } = await asked
        await late.hears(1)
        expect(how).toBe('answered')
        expect(decision).toBe(stood?.['decision'] ?? 'reject')
        expect(await readAudit(gateway.url, session.id)).toMatchObject([{ token, decision }])
        expect(await decisionsOf(session)).toEqual([decision])
      }),
      { numRuns: runs(2) },
    )
  })
})

describe.each(['AAEP with SSE and POST', 'AAEP over WebSocket'])(
  'a person whose connection drops (%s)',
  (way) => {
    test('before the answer leaves the question to others', async () => {
      const session = await connect().createSession({ agent: 'tidy' })
      const asked = session.confirm(deletion)
      const [gone, stays] = await Promise.all([meet(way, session.id), meet(other(way), session.id)])
      const token = await gone.sees(1)
      gone.cut()
      expect(await stays.sees(1)).toBe(token)
      // The broken connection does not reject the question, which still waits.
      expect(await readAudit(gateway.url, session.id)).toEqual([
        expect.not.objectContaining({ how: expect.anything() }),
      ])
      await stays.answer(token, 'accept')
      expect(await asked).toMatchObject({ decision: 'accept', how: 'answered' })
      await stays.hears(1)
      expect(await decisionsOf(session)).toEqual(['accept'])
    })

    test('right behind the answer has answered, or has not; another one settles it', async () => {
      await fc.assert(
        fc.asyncProperty(fc.nat(3), async (turns) => {
          const session = await connect().createSession({ agent: 'tidy' })
          const asked = session.confirm(deletion)
          const [gone, stays] = await Promise.all([meet(way, session.id), meet('POST …/answers', session.id)])
          const token = await gone.sees(1)
          gone.answer(token, 'accept').catch(() => {})
          for (let turn = 0; turn < turns; turn += 1) await new Promise((resolve) => setImmediate(resolve))
          gone.cut()
          await stays.sees(1)
          await stays.answer(token, 'reject')
          const { decision, how } = await asked
          await stays.hears(1)
          expect(how).toBe('answered')
          expect(await readAudit(gateway.url, session.id)).toMatchObject([{ token, decision }])
          expect(stays.counts()).toEqual({ questions: 1, outcomes: 1 })
          expect(await decisionsOf(session)).toEqual([decision])
        }),
        { numRuns: runs(3) },
      )
    })

    test('comes back to its subscription and hears the outcome that it missed, once', async () => {
      const session = await connect().createSession({ agent: 'tidy' })
      const asked = session.confirm(deletion)
      const transport = aaepTransports[way === 'AAEP over WebSocket' ? 'ws' : 'sse']
      const request = {
        url: gateway.url,
        key: gateway.localKey,
        terms: { supports_confirmation_reply: true },
      }
      const reading = await transport({ ...request, sessions: [session.id] })
      const token = await toPerson(reading).sees(1)
      reading.cut()
      await (await meet('POST …/answers', session.id)).answer(token, 'accept')
      expect(await asked).toMatchObject({ decision: 'accept' })
      const lastEventId = String(reading.events.at(-1)?.['event_id'])
      const again = await transport({ ...request, subscription: reading.subscription, lastEventId })
      await toPerson(again).hears(1)
      // This answer comes too late, and nobody says so.
      await toPerson(again).answer(token, 'reject')
      expect(await decisionsOf(session)).toEqual(['accept'])
      expect(toPerson(again).counts()).toEqual({ questions: 0, outcomes: 1 })
    })
  },
)

test('a question whose time ran out while the gateway was gone can still be answered when it is back', async () => {
  const timeoutMs = 2_000
  const session = await connect().createSession({ agent: 'tidy' })
  const asked = session.confirm({ ...deletion, timeoutMs })
  await session.flush()
  const [{ openedAt } = {}] = await readAudit(gateway.url, session.id)
  await gateway.kill()
  await until(() => Date.now() > Number(openedAt) + timeoutMs)
  await gateway.restart()
  const person = await meet('AAEP with SSE and POST', session.id)
  await person.answer(await person.sees(1), 'accept')
  expect(await asked).toMatchObject({ decision: 'accept', how: 'answered' })
  expect(await decisionsOf(session)).toEqual(['accept'])
})
