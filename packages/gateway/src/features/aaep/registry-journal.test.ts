import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createMemoryLog, type Log, openLmdbLog } from '@sluice/log'
import { type Cursor, omitUndefined, SluiceError } from '@sluice/protocol'
import { createDrivenClock } from '@sluice/protocol/testing'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createFaultyLog } from '../../testing/faulty-log.ts'
import { runs } from '../../testing/runs.ts'
import { createRegistry } from './registry.ts'
import type { Emission } from './registry-history.ts'
import type { Subscription } from './registry-subscription.ts'

const limits = { subscriptionsPerSubject: 10, subscriptions: 10, subscriptionIdleMs: 1_000_000 }
const clock = createDrivenClock()

async function begin(log: Log, ringSize?: number): Promise<Subscription> {
  const registry = createRegistry(omitUndefined({ log, clock, limits, ringSize }))
  await registry.start()
  await registry.stop()
  return registry.create({ subject: 'ann', subscriber: { id: 'r' }, honored: {}, after: 'start' })
}

/** The subscription, as another process that starts on this log finds it. */
async function findAgain(log: Log, id: string, ringSize?: number): Promise<Subscription> {
  const registry = createRegistry(omitUndefined({ log, clock, limits, ringSize }))
  await registry.start()
  await registry.stop()
  const found = await registry.find(id, 'ann')
  if (found === undefined) throw new Error('it is gone')
  return found
}

const emission = (number: number): Emission => ({
  id: `evt_${number}`,
  session: `sess_${number % 3}`,
  cursor: { seq: number, units: 1 },
})

const emissions = (from: number, to: number): readonly Emission[] =>
  Array.from({ length: to - from }, (_, index) => emission(from + index))

/** The places of the three sessions after this emission. */
function placesAt(number: number): Map<string, Cursor> {
  const places = new Map<string, Cursor>()
  for (let at = Math.max(0, number - 2); at <= number; at++)
    places.set(`sess_${at % 3}`, { seq: at, units: 1 })
  return places
}

const streamsOf = async (log: Log) =>
  (await log.list({ limit: 100 })).map(({ session }) => session).filter((id) => id.startsWith('subj_'))

describe('the journal of a subscription', () => {
  test('tells where every session stood behind an emission', async () => {
    const log = createMemoryLog()
    const subscription = await begin(log)
    expect(await subscription.places()).toEqual(new Map())
    await subscription.restart(new Map([['sess_old', { seq: 8 }]]))
    await subscription.journal([])
    await subscription.journal(emissions(0, 5))
    await subscription.journal(emissions(5, 6))
    const old: readonly [string, Cursor] = ['sess_old', { seq: 8 }]
    for (const journal of [subscription, await findAgain(log, subscription.id)]) {
      expect(await journal.places('evt_1')).toEqual(new Map([old, ...placesAt(1)]))
      expect(await journal.places('evt_4')).toEqual(new Map([old, ...placesAt(4)]))
      expect(await journal.places()).toEqual(new Map([old, ...placesAt(5)]))
      expect(await journal.places('evt_6')).toBeUndefined()
    }
    await subscription.restart(new Map([['sess_0', { seq: 70 }]]))
    expect(await subscription.places('evt_4')).toBeUndefined()
    expect(await subscription.places()).toEqual(new Map([['sess_0', { seq: 70 }]]))
  })

  test('forgets behind the emission at which reading went on', async () => {
    const log = createMemoryLog()
    const subscription = await begin(log)
    await subscription.journal(emissions(0, 9))
    expect(await subscription.rewind('evt_4')).toEqual(placesAt(4))
    expect(await subscription.rewind('evt_7')).toBeUndefined()
    await subscription.journal([{ id: 'evt_b', session: 'sess_1', cursor: { seq: 50 } }])
    const found = await findAgain(log, subscription.id)
    expect(await found.places('evt_b')).toEqual(placesAt(4).set('sess_1', { seq: 50 }))
    expect(await found.places('evt_8')).toBeUndefined()
    expect(await found.places('evt_3')).toEqual(placesAt(3))
  })

  test('keeps the last 4096 emissions, in a stream that does not grow without end', async () => {
    const log = createMemoryLog()
    const subscription = await begin(log)
    const total = 30_000
    let most = 0
    for (let from = 0; from < total; from += 500) {
      await subscription.journal(emissions(from, from + 500))
      const streams = await streamsOf(log)
      expect(streams).toHaveLength(1)
      most = Math.max(most, (await log.head(streams[0] ?? ''))?.bytes ?? 0)
    }
    const found = await findAgain(log, subscription.id)
    expect(await found.places(`evt_${total - 4097}`)).toBeUndefined()
    for (const number of [total - 4096, total - 1000, total - 1])
      expect(await found.places(`evt_${number}`)).toEqual(placesAt(number))
    expect(most).toBeLessThan(600_000)
  })

  test('does not grow without end by reading again either', async () => {
    const log = createMemoryLog()
    const subscription = await begin(log, 8)
    await subscription.journal(emissions(0, 4))
    for (let round = 0; round < 100; round++) {
      expect(await subscription.rewind('evt_2')).toEqual(placesAt(2))
      await subscription.journal(emissions(3, 4))
    }
    const [stream = ''] = await streamsOf(log)
    expect((await log.head(stream))?.lastSeq).toBeLessThan(20)
  })

  test('begins again before the oldest emission that is kept', async () => {
    const log = createMemoryLog()
    const subscription = await begin(log, 8)
    const start = await subscription.places()
    await subscription.journal(emissions(0, 4))
    expect(await subscription.begin()).toEqual(start)
    expect(await subscription.places('evt_2')).toBeUndefined()
    await subscription.journal(emissions(0, 12))
    expect(await subscription.begin()).toEqual(placesAt(3))
    expect(await (await findAgain(log, subscription.id)).places()).toEqual(placesAt(3))
  })

  test('goes on after an append that failed, without what it refused', async () => {
    const log = createFaultyLog(createMemoryLog())
    const subscription = await begin(log)
    await subscription.journal(emissions(0, 3))
    log.failAppends('storage_failed', 0)
    const failed = subscription.journal(emissions(3, 4))
    const behind = subscription.journal(emissions(4, 5))
    await expect(failed).rejects.toMatchObject({ code: 'storage_failed' })
    await behind
    expect(await subscription.places('evt_3')).toBeUndefined()
    expect(await subscription.places('evt_4')).toEqual(
      new Map([...placesAt(2), ['sess_1', { seq: 4, units: 1 }]]),
    )
  })
})

/** A log on which a process dies at one of its writes; later writes fail. */
function createDyingLog(log: Log, writes: number, { isWritten }: { readonly isWritten: boolean }): Log {
  let left = writes
  const write = async <T>(run: () => Promise<T>): Promise<T> => {
    left -= 1
    if (left > 0) return run()
    if (left === 0 && isWritten) await run()
    throw new SluiceError('storage_failed')
  }
  return {
    ...log,
    append: (append) => write(() => log.append(append)),
    delete: (session) => write(() => log.delete(session)),
  }
}

describe('a crash at any write', () => {
  async function crashEverywhere(
    open: () => Promise<Log>,
    reopen: (log: Log) => Promise<Log>,
  ): Promise<number> {
    const ringSize = 4
    const id = (await begin(await open(), ringSize)).id
    let log = await open()
    let sent = 0
    let crashes = 0
    for (let writes = 1; writes <= 14; writes++) {
      for (const isWritten of [false, true]) {
        const subscription = await findAgain(createDyingLog(log, writes, { isWritten }), id, ringSize)
        const acknowledged = sent
        try {
          for (;;) {
            await subscription.journal(emissions(sent, sent + 1))
            sent += 1
          }
        } catch {
          crashes += 1
        }
        log = await reopen(log)
        const found = await findAgain(log, id, ringSize)
        expect(sent).toBeGreaterThanOrEqual(acknowledged)
        for (let number = Math.max(0, sent - 3); number < sent; number++)
          expect(await found.places(`evt_${number}`)).toEqual(placesAt(number))
        expect((await streamsOf(log)).length).toBeLessThanOrEqual(1)
        // Emissions that are durable but were never acknowledged may be emitted again.
        if (sent > 0) await found.rewind(`evt_${sent - 1}`)
      }
    }
    return crashes
  }

  test('loses nothing in memory', async () => {
    const log = createMemoryLog()
    expect(
      await crashEverywhere(
        async () => log,
        async () => log,
      ),
    ).toBe(28)
  })

  test('loses nothing on disk', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'sluice-journal-'))
    let log = await openLmdbLog({ directory, minFreeBytes: 0 })
    const crashes = await crashEverywhere(
      async () => log,
      async () => {
        await log.close()
        log = await openLmdbLog({ directory, minFreeBytes: 0 })
        return log
      },
    )
    expect(crashes).toBe(28)
    await log.close()
    await rm(directory, { recursive: true, force: true })
  })
})

test.each([3, 100])(
  'an append that was written and failed all the same loses nothing in the same process (a ring of %i)',
  async (ringSize) => {
    for (let which = 2; which < 10; which++) {
      const log = createMemoryLog()
      let count = 0
      const odd: Log = {
        ...log,
        async append(append) {
          await log.append(append)
          count += 1
          if (count === which) throw new SluiceError('storage_failed')
        },
      }
      const subscription = await begin(odd, ringSize)
      for (let number = 0; number < 9; number++) {
        const send = () => subscription.journal(emissions(number, number + 1))
        await send().catch(send)
        if (number === 4) await subscription.restart(placesAt(4)).catch(() => {})
      }
      expect(count).toBeGreaterThan(which)
      const found = await findAgain(log, subscription.id, ringSize)
      for (const number of [6, 7, 8]) expect(await found.places(`evt_${number}`)).toEqual(placesAt(number))
      expect(await streamsOf(log)).toHaveLength(1)
    }
  },
)

type Step = { readonly do: 'journal' | 'rewind' | 'restart' | 'crash'; readonly count: number }

const steps: fc.Arbitrary<readonly Step[]> = fc.array(
  fc.record({
    do: fc.constantFrom<Step['do']>('journal', 'journal', 'journal', 'rewind', 'restart', 'crash'),
    count: fc.integer({ min: 0, max: 12 }),
  }),
  { maxLength: 30 },
)

test('any emissions, resumptions and restarts leave the places that a plain list gives', async () => {
  await fc.assert(
    fc.asyncProperty(steps, async (script) => {
      const ringSize = 5
      const log = createMemoryLog()
      let subscription = await begin(log, ringSize)
      /** The states that were emitted and not forgotten; `number` also counts the forgotten ones. */
      const states = [{ id: '', number: -1, places: new Map<string, Cursor>() }]
      let next = 0
      const isRecent = (number: number) => number >= 0 && next - number <= ringSize
      for (const { do: kind, count } of script) {
        const last = states.at(-1)?.places ?? new Map()
        if (kind === 'journal') {
          const made = emissions(next, next + count)
          await subscription.journal(made)
          for (const { id, session, cursor } of made) {
            const places = new Map(states.at(-1)?.places).set(session, cursor)
            states.push({ id, number: next, places })
            next += 1
          }
        } else if (kind === 'rewind') {
          const index = states.length - 1 - count
          const target = states[index]
          if (target === undefined || !isRecent(target.number)) continue
          expect(await subscription.rewind(target.id)).toEqual(target.places)
          states.length = index + 1
        } else if (kind === 'restart') {
          await subscription.restart(last)
          states.splice(0, states.length, { id: '', number: -1, places: last })
        } else subscription = await findAgain(log, subscription.id, ringSize)
      }
      expect(await subscription.places()).toEqual(states.at(-1)?.places)
      for (const { id, number, places } of states)
        if (isRecent(number)) expect(await subscription.places(id)).toEqual(places)
      expect((await streamsOf(log)).length).toBeLessThanOrEqual(1)
    }),
    { numRuns: runs(100) },
  )
})
