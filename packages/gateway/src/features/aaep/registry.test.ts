import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createMemoryLog, exportLog, type Log, openLmdbLog, statLog, verifyLog } from '@sluice/log'
import { SluiceError } from '@sluice/protocol'
import { createDrivenClock, type DrivenClock } from '@sluice/protocol/testing'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { listSessions } from '../../kernel/sessions/session-list.ts'
import { createRegistry, type Registry, type RegistryLimits } from './registry.ts'
import type { SubscriptionFields } from './registry-subscription.ts'

const day = 86_400_000
const limits: RegistryLimits = { subscriptionsPerSubject: 3, subscriptions: 5, subscriptionIdleMs: 80_000 }

const fields: SubscriptionFields = {
  subject: 'ann',
  subscriber: { id: 'reader', name: 'A reader' },
  honored: { pace_wpm: 120 },
  sessions: ['sess_a', 'sess_b'],
  after: 'start',
}

/** A log that can be left in the state of a crash and opened again. */
interface Store {
  readonly log: Log
  readonly directory: string | undefined
  reopen(): Promise<Log>
  remove(): Promise<void>
}

async function openMemory(): Promise<Store> {
  const log = createMemoryLog()
  return { log, directory: undefined, reopen: async () => log, remove: async () => {} }
}

async function openLmdb(): Promise<Store> {
  const directory = await mkdtemp(join(tmpdir(), 'sluice-registry-'))
  let log = await openLmdbLog({ directory, minFreeBytes: 0 })
  return {
    log,
    directory,
    async reopen() {
      await log.close()
      log = await openLmdbLog({ directory, minFreeBytes: 0 })
      return log
    },
    async remove() {
      await log.close()
      await rm(directory, { recursive: true, force: true })
    },
  }
}

async function codeOf(promise: Promise<unknown>): Promise<string> {
  return promise.then(
    () => 'none',
    (error) => (error instanceof SluiceError ? error.code : String(error)),
  )
}

describe.each([
  ['memory', openMemory],
  ['lmdb', openLmdb],
] as const)('a registry over the %s log', (_, open) => {
  let store: Store
  let clock: DrivenClock
  let registry: Registry

  const startOn = async (log: Log): Promise<Registry> => {
    const started = createRegistry({ log, clock, limits })
    await started.start()
    return started
  }
  const restart = async (): Promise<void> => {
    await registry.stop()
    registry = await startOn(await store.reopen())
  }

  beforeEach(async () => {
    store = await open()
    clock = createDrivenClock()
    registry = await startOn(store.log)
  })
  afterEach(async () => {
    await registry.stop()
    await store.remove()
  })

  test('finds a subscription again after a restart, for its subject alone', async () => {
    const { id, createdAt } = await registry.create({ ...fields, places: new Map([['sess_a', { seq: 4 }]]) })
    expect(id).toMatch(/^sub_[a-z0-9]{26}$/)
    await restart()
    expect(await registry.find(id, 'bob')).toBeUndefined()
    expect(await registry.find('sub_none', 'ann')).toBeUndefined()
    const found = await registry.find(id, 'ann')
    expect(found).toMatchObject({ ...fields, id, createdAt, isAttached: false, terms: { paceWpm: 120 } })
    expect(await found?.places()).toEqual(new Map([['sess_a', { seq: 4 }]]))
    expect(await registry.find(id, 'ann')).toBe(found)
  })

  test('keeps renegotiated terms', async () => {
    const subscription = await registry.create(fields)
    await subscription.renegotiate({ pace_wpm: 300, cognitive_load: 'low' })
    expect(subscription.terms).toMatchObject({ paceWpm: 300, load: 'low' })
    await restart()
    const found = await registry.find(subscription.id, 'ann')
    expect(found?.honored).toEqual({ pace_wpm: 300, cognitive_load: 'low' })
    expect(found?.createdAt).toBe(subscription.createdAt)
  })

  test.each([-day, day])(
    'survives a restart with a clock that was set by %i ms, and expires as usual',
    async (ms) => {
      const { id } = await registry.create(fields)
      clock.stepWall(ms)
      await restart()
      clock.sleep(29_999)
      await registry.sweep()
      expect(await registry.find(id, 'ann')).toBeDefined()
      clock.sleep(limits.subscriptionIdleMs)
      await registry.sweep()
      expect(await registry.find(id, 'ann')).toBeUndefined()
    },
  )

  test('counts, and refuses more than its limits', async () => {
    const made = await Promise.all([1, 2, 3].map(() => registry.create(fields)))
    const detach = made.map((subscription) => subscription.attach())
    expect(await codeOf(registry.create(fields))).toBe('rate_limited')
    for (const each of detach) each()
    await registry.create({ ...fields, subject: 'bob' })
    await registry.create({ ...fields, subject: 'bob' })
    expect(await codeOf(registry.create({ ...fields, subject: 'eve' }))).toBe('rate_limited')
    await restart()
    expect([registry.count, registry.countOf('ann'), registry.countOf('bob')]).toEqual([5, 3, 2])
    await registry.close(made[0]?.id ?? '')
    expect([registry.count, registry.countOf('ann'), registry.countOf('eve')]).toEqual([4, 2, 0])
    await registry.create(fields)
    expect(registry.countOf('ann')).toBe(3)
  })

  test('lets the one give way that nobody has read for the longest time', async () => {
    const [first, second, third] = await Promise.all([1, 2, 3].map(() => registry.create(fields)))
    clock.advance(1000)
    first?.touch()
    third?.attach()
    await registry.create(fields)
    expect([first, second, third].map((each) => each?.closed.aborted)).toEqual([false, true, false])
    clock.advance(1000)
    await Promise.all([registry.create(fields), registry.create(fields)])
    expect(registry.countOf('ann')).toBe(3)
    expect(third?.closed.aborted).toBe(false)
  })

  test('answers the same for the same key of the same subject, also after a restart', async () => {
    const [one, other] = await Promise.all([registry.create(fields, 'k'), registry.create(fields, 'k')])
    expect(other).toBe(one)
    const ofBob = await registry.create({ ...fields, subject: 'bob' }, 'k')
    expect(ofBob.id).not.toBe(one.id)
    await restart()
    expect((await registry.findByKey('k', 'ann'))?.id).toBe(one.id)
    expect((await registry.create(fields, 'k')).id).toBe(one.id)
    await registry.close(one.id)
    expect(await registry.findByKey('k', 'ann')).toBeUndefined()
    expect((await registry.create(fields, 'k')).id).not.toBe(one.id)
  })

  test('closes a subscription for good', async () => {
    const subscription = await registry.create(fields)
    await subscription.journal([{ id: 'evt_1', session: 'sess_a', cursor: { seq: 0 } }])
    await registry.close(subscription.id)
    await registry.close(subscription.id)
    expect(subscription.closed.aborted).toBe(true)
    expect(await codeOf(subscription.renegotiate({}))).toBe('session_deleted')
    expect(await codeOf(subscription.journal([{ id: 'evt_2', session: 'sess_a', cursor: { seq: 1 } }]))).toBe(
      'session_deleted',
    )
    await restart()
    expect(await registry.find(subscription.id, 'ann')).toBeUndefined()
    expect(registry.count).toBe(0)
    expect((await (await store.reopen()).list({ limit: 10 })).map(({ session }) => session)).toEqual([])
  })

  test('closes what nobody uses, but not what is attached, touched, or used before a restart', async () => {
    const idle = await registry.create(fields)
    const attached = await registry.create(fields)
    const detach = attached.attach()
    const touched = await registry.create(fields)
    clock.advance(50_000)
    touched.touch()
    // The timer of the registry also runs sweep(); both must have the same result.
    await registry.sweep()
    await restart()
    const again = await registry.find(attached.id, 'ann')
    const release = again?.attach()
    clock.advance(40_000)
    await registry.sweep()
    expect(await registry.find(idle.id, 'ann')).toBeUndefined()
    expect(idle.closed.aborted).toBe(false) // it belongs to the previous registry
    expect(await registry.find(touched.id, 'ann')).toBeDefined()
    clock.advance(100_000)
    await registry.sweep()
    expect(await registry.find(touched.id, 'ann')).toBeUndefined()
    expect(again?.isAttached).toBe(true)
    release?.()
    release?.()
    detach()
    expect(again?.isAttached).toBe(false)
    clock.advance(79_999)
    await registry.sweep()
    expect(await registry.find(attached.id, 'ann')).toBe(again)
    clock.advance(1)
    await registry.sweep()
    expect(again?.closed.aborted).toBe(true)
  })

  test('is no session for whoever lists, counts, checks or writes out the log', async () => {
    const subscription = await registry.create(fields)
    await subscription.journal([{ id: 'evt_1', session: 'sess_a', cursor: { seq: 0, units: 3 } }])
    await subscription.rewind('evt_1')
    const log = await store.reopen()
    expect((await log.list({ limit: 10 })).length).toBe(2)
    expect(await listSessions(log, { limit: 10, labels: [] }, () => true)).toEqual({ sessions: [] })
    if (store.directory === undefined) return
    const problems: unknown[] = []
    await verifyLog(store.directory, (problem) => problems.push(problem))
    expect(problems).toEqual([])
    expect((await statLog(store.directory)).records).toBe(1)
    const written: string[] = []
    for await (const { session } of exportLog(store.directory)) written.push(session)
    expect(written).toHaveLength(1)
  })

  test('clears away a journal whose subscription was never made', async () => {
    const subscription = await registry.create({ ...fields, places: new Map([['sess_a', { seq: 4 }]]) })
    await store.log.delete(subscription.id)
    await restart()
    expect(registry.count).toBe(0)
    expect(await (await store.reopen()).list({ limit: 10 })).toEqual([])
  })
})

test('many requests at once create no more subscriptions than a subject may have', async () => {
  const registry = createRegistry({ log: createMemoryLog(), clock: createDrivenClock(), limits })
  const codes = await Promise.all(Array.from({ length: 10 }, () => codeOf(registry.create(fields))))
  expect(codes.filter((code) => code === 'none')).toHaveLength(3)
  expect([registry.count, registry.countOf('ann')]).toEqual([3, 3])
})
