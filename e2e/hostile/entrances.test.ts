import type { Action } from '@sluice/gateway'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { clientMessageTypes } from '../../packages/gateway/src/faces/native/ws/messages.ts'
import { messageSchemas } from '../../packages/protocol/src/dialects/aaep/wire/messages.ts'
import { rounds } from '../testing/rounds.ts'
import { type Credential, type Entrance, entrances, type Target } from './entrances/entrances.ts'
import { agentName, type Effect, openStage, type Stage, type Victim } from './entrances/stage.ts'
import { send } from './http-request.ts'
import { localKey } from './start-gateway.ts'

const actions: readonly Action[] = ['publish', 'subscribe', 'answer', 'run', 'admin']

/** The targets that each scope reaches. */
const scopes: Readonly<Record<string, readonly Target[]>> = {
  '*': ['victim', 'new', 'run'],
  own: ['new', 'run'],
  'label:team=blue': ['victim', 'new'],
  'session:sess_victim*': ['victim', 'new'],
  [`agent:${agentName}`]: ['victim', 'run'],
  'label:team=red': [],
  'session:sess_other*': [],
  'agent:other': [],
}

interface TestCaller {
  readonly name: string
  readonly credential: Credential
  may(action: Action, target: Target): boolean
}

const nobody: TestCaller = { name: 'without a credential', credential: {}, may: () => false }

/** A caller with one grant. A grant for any scope also covers what belongs to no session. */
function withGrant(stage: Stage, action: Action | '*', scope: string): TestCaller {
  return {
    name: `with ${action}:${scope}`,
    credential: { key: stage.gateway.addKey('mallory', [`${action}:${scope}`]) },
    may: (asked, target) =>
      (action === '*' || action === asked) &&
      (target === 'nobody' || scopes[scope]?.includes(target) === true),
  }
}

/** The same caller through a login made with its key. */
async function loggedIn({ gateway }: Stage, caller: TestCaller): Promise<TestCaller> {
  const asked = { method: 'POST', path: '/v1/login', body: { token: caller.credential.key } }
  const { token } = (await send(gateway.port, asked)).json as { token: string } // 200, or the walk fails
  return { ...caller, name: `logged in ${caller.name}`, credential: { key: token } }
}

/** A caller with a ticket for the session of the victim, and nothing else. */
async function ticketFor({ gateway }: Stage, { id }: Victim): Promise<TestCaller> {
  const asked = { method: 'POST', path: '/v1/tickets', body: { session: id }, key: localKey }
  const { ticket } = (await send(gateway.port, asked)).json as { ticket: string } // 200, or the walk fails
  return { name: 'with a ticket', credential: { ticket }, may: () => false }
}

type Kind = 'published' | 'run'

function expectedOf(entrance: Entrance, kind: Kind, { may, credential }: TestCaller): readonly Effect[] {
  const { action, effect, target, alsoNeeds, ofReserved } = entrance
  if (effect === undefined || action === undefined) return []
  if (credential.ticket !== undefined) return entrance.takesTicket === true ? [effect] : []
  if (!may(action, target) || (alsoNeeds !== undefined && !may(alsoNeeds, target))) return []
  // Only the run writes to its session and reads the inputs.
  const isReserved = kind === 'run' && action === 'publish' && target === 'victim'
  return isReserved && (ofReserved === undefined || !may(ofReserved, target)) ? [] : [effect]
}

/** Tries every entrance. Replaces a victim that something was done to. */
async function walk(stage: Stage, kind: Kind, caller: TestCaller): Promise<void> {
  let victim = await stage.addVictim(kind)
  let who = caller.credential.ticket === undefined ? caller : await ticketFor(stage, victim)
  for (const entrance of entrances) {
    const text = await entrance.attempt(stage, victim, who.credential)
    const effects = await stage.effectsOn(victim, text)
    expect.soft(effects, `${entrance.name} ${who.name}`).toEqual(expectedOf(entrance, kind, who))
    if (effects.every((effect) => effect === 'read' || effect === 'run')) continue
    victim = await stage.addVictim(kind)
    if (caller.credential.ticket !== undefined) who = await ticketFor(stage, victim)
  }
}

describe('every entrance', () => {
  let guarded: Stage
  let open: Stage
  beforeAll(async () => {
    guarded = await openStage({ host: '0.0.0.0' })
    open = await openStage()
  })
  afterAll(async () => {
    await guarded.close()
    await open.close()
  })

  test('of the routes, the WebSocket messages and the AAEP messages is walked below', () => {
    const names = entrances.map(({ name }) => name)
    expect(new Set(names).size).toBe(names.length)
    const known = [
      ...guarded.gateway.routes,
      ...clientMessageTypes.map((type) => `ws ${type}`),
      ...Object.keys(messageSchemas).map((type) => `aaep ${type}`),
    ]
    expect([...names].sort()).toEqual([...known].sort())
  })

  test.each(['published', 'run'] as const)(
    'does nothing for nobody to a session that is %s',
    async (kind) => {
      await walk(guarded, kind, nobody)
      await walk(guarded, kind, { ...nobody, name: 'with a wrong key', credential: { key: `${localKey}x` } })
      await walk(guarded, kind, {
        ...nobody,
        name: 'without grants',
        credential: { key: guarded.gateway.addKey('mallory', []) },
      })
    },
  )

  test.each(['published', 'run'] as const)('reads with a ticket, and does nothing else: %s', async (kind) => {
    await walk(guarded, kind, { ...nobody, credential: { ticket: '' } })
  })

  test.each(Object.keys(scopes))('gives what a grant on %s names, and nothing else', async (scope) => {
    for (const action of [...actions, '*' as const]) {
      const caller = withGrant(guarded, action, scope)
      await walk(guarded, 'published', caller)
      if (scope !== '*' && rounds === 1) continue
      await walk(guarded, 'run', caller)
      await walk(guarded, 'published', await loggedIn(guarded, caller))
    }
  })

  test('of a gateway on loopback reads and publishes without a credential, and does nothing else', async () => {
    const may = (action: Action, target: Target): boolean =>
      action === 'subscribe' || action === 'publish' || target === 'nobody'
    for (const kind of ['published', 'run'] as const) await walk(open, kind, { ...nobody, may })
    for (const action of actions) await walk(open, 'published', withGrant(open, action, '*'))
  })
})
