import { type Entry, omitUndefined } from '@sluice/protocol'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { runs } from '../../packages/protocol/src/testing/runs.ts'
import { type Attempt, anyAttempt } from './entrances/forged-attempts.ts'
import { openStage, type Stage, type Victim } from './entrances/stage.ts'
import { type Asked, send } from './http-request.ts'
import { openSocket, type TestSocket } from './socket.ts'
import { localKey } from './start-gateway.ts'

const own = 'sess_mallory'
const together = 20

/** A caller that makes attempts. */
interface Attacker {
  readonly key: string | undefined
  readonly socket: TestSocket | undefined
  /** Whether its grants let it read the sessions of victims. */
  readonly mayRead: boolean
}

describe('forged, replayed and foreign attempts', () => {
  let stage: Stage
  let published: readonly Victim[]
  let running: readonly Victim[]
  let attackers: readonly Attacker[]
  let attempts: fc.Arbitrary<Attempt>

  const ask = async (asked: Asked) => send(stage.gateway.port, { key: localKey, ...asked })
  const addAttacker = async (
    grants: readonly string[],
    { mayRead }: { readonly mayRead: boolean },
  ): Promise<Attacker> => {
    const key = stage.gateway.addKey('mallory', grants)
    return { key, mayRead, socket: await openSocket(stage.gateway.port, { key }) }
  }

  beforeAll(async () => {
    stage = await openStage({ host: '0.0.0.0', heartbeatMs: 60_000 })
    const add = (kind: 'published' | 'run') => Promise.all([1, 2, 3].map(() => stage.addVictim(kind)))
    published = await add('published')
    running = await add('run')
    attackers = [
      await addAttacker(['publish:*', 'subscribe:*'], { mayRead: true }),
      await addAttacker(['subscribe:*'], { mayRead: true }),
      await addAttacker(['publish:own', 'subscribe:own', 'answer:own', 'admin:own'], { mayRead: false }),
      await addAttacker(['answer:session:sess_other*', 'run:agent:other', 'admin:label:team=red'], {
        mayRead: false,
      }),
      { key: undefined, socket: undefined, mayRead: false },
    ]
    const event = { kind: 'question-open', question: 'confirmation', token: 'mine', text: 'Mine?' }
    await ask({
      method: 'POST',
      path: `/v1/sessions/${own}/events?dialect=sluice`,
      body: { events: [event] },
    })

    const revoked = stage.gateway.addKey('mallory', ['answer:*'])
    stage.gateway.revokeKey(revoked)
    const { json } = await ask({ method: 'POST', path: '/v1/login', body: { token: localKey } })
    const { token: ended } = json as { token: string } // 200, or the attempts below reach nothing
    await ask({ method: 'DELETE', path: '/v1/login', key: ended })
    const [first] = published
    const ticketed = await ask({ method: 'POST', path: '/v1/tickets', body: { session: first?.id } })
    const { ticket } = ticketed.json as { ticket: string } // 200, or the attempts below reach nothing
    attempts = anyAttempt({ victims: [...published, ...running], own, ticket, stale: [revoked, ended] })
  })
  afterAll(async () => {
    for (const { socket } of attackers) socket?.close()
    await stage.close()
  })

  /** The entries of a session that an agent or an audit would believe. */
  const believed = (entries: readonly Entry[]): readonly Entry[] =>
    entries.filter(({ direction }) => direction !== 'event')

  const lookAt = async ({ id }: Pick<Victim, 'id'>): Promise<object> => {
    const { json } = await ask({ path: `/v1/sessions/${id}/questions` })
    const { questions } = json as { questions: readonly { readonly by?: string; readonly via?: string }[] } // docs/http-api.md
    return {
      believed: believed(await stage.entriesOf(id)),
      named: questions.filter(({ by, via }) => by !== undefined || via !== undefined),
    }
  }

  const look = async (): Promise<object> => ({
    heard: [...stage.heard],
    runs: stage.runCount,
    sessions: await Promise.all([...published, ...running, { id: own }].map(lookAt)),
    whole: await Promise.all(running.map(({ id }) => stage.entriesOf(id))),
    taken: await Promise.all([...published, ...running].map((victim) => stage.effectsOn(victim, ''))).then(
      (all) => all.flat().filter((effect) => effect === 'delete' || effect === 'unsubscribe'),
    ),
  })

  /** Makes an attempt and returns what was received. */
  const attack = async ({ asked, message }: Attempt, attacker: Attacker, index: number): Promise<string> => {
    const { key, socket } = attacker
    if (message !== undefined && socket !== undefined && index % 4 === 0)
      return JSON.stringify(await socket.ask({ ref: `r${index}`, ...message }))
    return (await send(stage.gateway.port, { ...omitUndefined({ key }), ...asked })).text
  }

  test('have no effect', { timeout: 600_000 }, async () => {
    const total = runs(5000)
    const seed = Number(process.env['SLUICE_SEED'] ?? 1)
    const before = await look()
    let done = 0
    for (let round = 0; done < total; round += 1) {
      const batch = fc.sample(attempts, { numRuns: Math.min(500, total - done), seed: seed + round })
      for (let at = 0; at < batch.length; at += together) {
        const some = batch.slice(at, at + together)
        await Promise.all(
          some.map(async (attempt, place) => {
            const index = done + at + place
            const attacker = attackers[index % attackers.length] ?? {
              key: undefined,
              socket: undefined,
              mayRead: false,
            }
            const text = await attack(attempt, attacker, index)
            const isToldOf = [...published, ...running].some(({ secret }) => text.includes(secret))
            expect(isToldOf && !attacker.mayRead, JSON.stringify(attempt)).toBe(false)
          }),
        )
      }
      done += batch.length
      expect(await look(), `seed ${seed + round}`).toEqual(before)
    }
    expect(stage.gateway.failures).toEqual([])
    for (const { id, token } of running) {
      const body = { token, decision: 'accept' }
      const { json } = await ask({ method: 'POST', path: `/v1/sessions/${id}/answers`, body })
      expect(json).toEqual({ counted: true })
    }
    await expect.poll(() => stage.heard).toHaveLength(2 * running.length)
  })
})
