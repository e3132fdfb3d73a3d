import { createClient } from '@sluice/client'
import { createSystemClock, type SluiceEvent } from '@sluice/protocol'
import { createDrivenClock } from '@sluice/protocol/testing'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createSessionPast } from '../../packages/react/src/past/session-past.ts'
import { createSessionStore, type SessionStore } from '../../packages/react/src/session/session-store.ts'
import { playAgent } from '../console/publish-text.ts'
import { type LocalGateway, startLocalGateway } from '../testing/local-gateway.ts'
import { publishText } from '../testing/publish.ts'
import { until } from '../testing/until.ts'

const clock = createSystemClock()
let gateway: LocalGateway
beforeAll(async () => {
  gateway = await startLocalGateway(clock)
})
afterAll(() => gateway?.close())

const connect = () => createClient({ url: gateway.url })
const storeOf = (id: string, more: Partial<Parameters<typeof createSessionStore>[0]> = {}) =>
  createSessionStore({ client: connect(), id, clock, paceMs: 5, lingerMs: 0, ...more })

/** Listens to a store, and counts how often it changed. */
function follow(store: SessionStore) {
  let changes = 0
  const leave = store.subscribe(() => {
    changes += 1
  })
  return { leave, changes: () => changes }
}

describe('createSessionStore()', () => {
  test('begins in the middle of a session and follows it to its end', async () => {
    const agent = await playAgent(connect(), 'Say hello.')
    await agent.text('Hello, ')
    const store = storeOf(agent.session)
    expect(store.getSnapshot()).toMatchObject({
      phase: 'loading',
      text: '',
      connection: { status: 'connecting' },
    })
    const { leave } = follow(store)
    await until(() => store.getSnapshot().connection.status === 'live')
    expect(store.getSnapshot()).toMatchObject({
      phase: 'ready',
      text: 'Hello, ',
      resource: { title: 'Say hello.' },
    })
    await agent.text('world.')
    await until(() => store.getSnapshot().text === 'Hello, world.')
    await agent.end()
    await until(() => store.getSnapshot().connection.status === 'ended')
    expect(store.getSnapshot()).toMatchObject({
      resource: { state: 'ended', outcome: 'completed' },
      texts: [{ isOpen: false, text: 'Hello, world.' }],
    })
    leave()
  })

  test('counts the findings of what comes', async () => {
    const { session } = await playAgent(connect())
    const store = storeOf(session)
    const { leave } = follow(store)
    await until(() => store.getSnapshot().connection.status === 'live')
    expect(store.getSnapshot().resource?.findings).toBe(0)
    const bad = '{"type":"tool_result","data":{"tool":"nobody","output":1}}'
    for (const findings of [1, 2]) {
      await publishText(gateway.url, session, { dialect: 'stream-event', text: bad })
      await until(() => store.getSnapshot().resource?.findings === findings)
    }
    leave()
  })

  test('changes once for all that came in the meantime', async () => {
    const agent = await playAgent(connect())
    const driven = createDrivenClock(Date.now())
    const store = storeOf(agent.session, { clock: driven, paceMs: 50 })
    const { leave, changes } = follow(store)
    let heard = 0
    store.onEntries((entries) => {
      heard += entries.length
    })
    await until(() => store.getSnapshot().connection.status === 'live')
    const before = changes()
    for (let n = 0; n < 100; n++) await agent.text('x')
    // A separate reader shows when the last entry was delivered.
    for await (const item of connect().subscribe(agent.session))
      if (item.type === 'frame' && item.frame.seq === 100) break
    await until(() => {
      driven.advance(50)
      return heard === 100
    })
    // Each advance of the clock makes at most one change, and a handful of them delivered all hundred.
    expect(changes() - before).toBeLessThan(50)
    expect(store.getSnapshot().text).toBe('x'.repeat(100))
    leave()
  })

  test('tells when a question was asked, and what became of it', async () => {
    const agent = await playAgent(connect())
    const open: SluiceEvent = {
      kind: 'question-open',
      question: 'confirmation',
      token: `tok_${agent.session}`,
      text: 'May I?',
      timeoutMs: 60_000,
    }
    await agent.say(open)
    const store = storeOf(agent.session)
    const { leave } = follow(store)
    await until(() => store.getSnapshot().questions[0]?.deadline !== undefined)
    const [question] = store.getSnapshot().questions
    expect((question?.deadline ?? 0) - (question?.openedAt ?? 0)).toBe(60_000)
    await agent.say({ kind: 'question-close', token: open.token, how: 'answered', decision: 'accept' })
    await until(() => store.getSnapshot().questions[0]?.closed?.decision === 'accept')
    leave()
  })

  test('fails for good when there is no such session, and begins again when asked to', async () => {
    const store = storeOf('sess_later')
    const { leave } = follow(store)
    await until(() => store.getSnapshot().phase === 'failed')
    expect(store.getSnapshot().error?.code).toBe('unknown_session')
    await connect().publish('sess_later', [{ events: [{ kind: 'session-start' }] }])
    store.retry()
    await until(() => store.getSnapshot().phase === 'ready')
    leave()
  })

  test('stays connected for a moment after the last one left', async () => {
    const agent = await playAgent(connect())
    const driven = createDrivenClock(Date.now())
    const store = storeOf(agent.session, { clock: driven, lingerMs: 1000 })
    follow(store).leave()
    const { leave } = follow(store)
    driven.advance(5000)
    await until(() => store.getSnapshot().connection.status === 'live')
    leave()
    expect(store.isFollowed()).toBe(false)
  })
})

describe('createSessionPast()', () => {
  test('shows the session as it was, forwards, backwards and far away', async () => {
    const agent = await playAgent(connect())
    await Promise.all(Array.from({ length: 700 }, (_, n) => agent.text(`${n + 1} `)))
    await agent.end()
    const past = createSessionPast(connect(), agent.session)
    const leave = past.subscribe(() => {})
    const textAt = async (seq: number): Promise<string | undefined> => {
      past.goTo(seq)
      await until(() => past.getSnapshot().view?.state?.seq === seq)
      return past.getSnapshot().view?.text
    }
    const upTo = (last: number) => Array.from({ length: last }, (_, n) => `${n + 1} `).join('')
    for (const seq of [3, 4, 2, 650, 651, 0, 500]) expect(await textAt(seq)).toBe(upTo(seq))
    leave()
  })

  test('tells when an entry does not exist, and goes on', async () => {
    const agent = await playAgent(connect())
    const past = createSessionPast(connect(), agent.session)
    past.goTo(99)
    await until(() => past.getSnapshot().error !== undefined)
    expect(past.getSnapshot().error?.code).toBe('unknown_entry')
    past.goTo(0)
    await until(() => past.getSnapshot().view?.state?.seq === 0)
    expect(past.getSnapshot().error).toBeUndefined()
  })
})
