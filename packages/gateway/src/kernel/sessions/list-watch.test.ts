import { createMemoryLog, type Log } from '@sluice/log'
import { omitUndefined, SluiceError } from '@sluice/protocol'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { openTestDirectory } from '../../testing/open-test-directory.ts'
import { runs } from '../../testing/runs.ts'
import { until } from '../../testing/until.ts'
import { createListWatch, type ListWatchParts } from './list-watch.ts'
import { listSessions } from './session-list.ts'

/** A watched list over a wire that can be stopped. */
function openWatch(
  given: {
    readonly log?: Log
    readonly query?: Partial<ListWatchParts['query']>
    readonly hidden?: string
    readonly maxNames?: number
  } = {},
) {
  const log = given.log ?? createMemoryLog()
  const { directory } = openTestDirectory(log)
  const told: string[] = []
  /** What a reader shows that applies everything it receives. */
  const shown = new Map<string, string>()
  const line = { isFree: true }
  const query = { limit: 50, labels: [], ...given.query }
  const isVisible = ({ id }: { readonly id: string }) => id !== given.hidden
  const watch = createListWatch({
    log,
    directory,
    query,
    isVisible,
    ...omitUndefined({ maxNames: given.maxNames }),
    wire: {
      isFree: () => line.isFree,
      begin: () => told.push('begin'),
      sessions: (resources) => {
        told.push(resources.map(({ id, state }) => `${id} ${state}`).join(', '))
        for (const { id, state } of resources) shown.set(id, state)
      },
      ready: () => told.push('ready'),
      deleted: (id) => {
        told.push(`deleted ${id}`)
        shown.delete(id)
      },
      fail: (error) => told.push(`failed ${error instanceof SluiceError ? error.code : error}`),
    },
  })
  return {
    watch,
    told,
    shown,
    line,
    list: async () => (await listSessions(log, query, isVisible)).sessions,
    create: async (id: string) =>
      (await directory.open(id)).write((writer) => writer.create({ labels: { name: id } })),
    end: async (id: string) =>
      (await directory.open(id)).write((writer) =>
        writer.make(() => [{ kind: 'session-end', outcome: 'completed' }], {
          direction: 'system',
          source: { dialect: 'sluice' },
        }),
      ),
    remove: (id: string) => directory.delete(id),
  }
}

describe('a list of sessions that is watched', () => {
  test.each([true, false])('fails when it has too many names to remember (free: %s)', async (isFree) => {
    const { watch, told, line, create } = openWatch({ maxNames: 3 })
    await watch.start()
    line.isFree = isFree
    for (let count = 0; count < 6; count++) await create(`sess_${count}`)
    expect(told.slice(3)).toEqual([
      ...(isFree ? ['sess_0 open', 'sess_1 open', 'sess_2 open', 'sess_3 open'] : []),
      'failed overloaded',
    ])
  })

  test('is told with its oldest first, and then change by change', async () => {
    const { watch, told, create, end, remove } = openWatch()
    await create('sess_a')
    await create('sess_b')
    await watch.start()
    await create('sess_c')
    await end('sess_a')
    await remove('sess_b')
    expect(told).toEqual([
      'begin',
      'sess_a open, sess_b open',
      'ready',
      'sess_c open',
      'sess_a ended',
      'deleted sess_b',
    ])
    watch.close()
    await create('sess_d')
    expect(told).toHaveLength(6)
  })

  test('tells of what matches and can be seen, and once matched also of the change after which it does not', async () => {
    const { watch, told, create, end, remove } = openWatch({
      query: { state: 'open' },
      hidden: 'sess_hidden',
    })
    await watch.start()
    await create('sess_hidden')
    await create('sess_a')
    await end('sess_a')
    await remove('sess_hidden')
    expect(told).toEqual(['begin', '', 'ready', 'sess_a open', 'sess_a ended'])
  })

  test('tells of what changes while the page is read behind it, deletions too', async () => {
    const log = createMemoryLog()
    let proceed = () => {}
    const slow: Log = {
      ...log,
      async list(options) {
        const heads = await log.list(options)
        await new Promise<void>((resolve) => {
          proceed = resolve
        })
        return heads
      },
    }
    const { watch, told, create, remove } = openWatch({ log: slow })
    await create('sess_a')
    const started = watch.start()
    await create('sess_b')
    await remove('sess_a')
    proceed()
    await started
    await until(() => told.length === 5)
    expect(told).toEqual(['begin', 'sess_a open', 'ready', 'sess_b open', 'deleted sess_a'])
  })

  test('comes name by name where the wire does not take the page', async () => {
    const { watch, told, line, create, end } = openWatch()
    await create('sess_a')
    await create('sess_b')
    line.isFree = false
    await watch.start()
    await create('sess_c')
    await end('sess_a')
    expect(told).toEqual(['begin'])
    expect(watch.isStalled).toBe(true)
    line.isFree = true
    watch.drained()
    await until(() => !watch.isStalled && told.length === 5)
    expect(told).toEqual(['begin', 'sess_a ended', 'sess_b open', 'ready', 'sess_c open'])
  })

  test('tells once that it cannot be read any more', async () => {
    const log = createMemoryLog()
    let isBroken = false
    const breaking: Log = {
      ...log,
      head: async (session) => {
        if (isBroken) throw new SluiceError('storage_failed')
        return log.head(session)
      },
    }
    const { watch, told, line, create } = openWatch({ log: breaking })
    await watch.start()
    line.isFree = false
    await create('sess_a')
    isBroken = true
    line.isFree = true
    watch.drained()
    await until(() => told.length === 4)
    isBroken = false
    await create('sess_b')
    watch.drained()
    expect(told).toEqual(['begin', '', 'ready', 'failed storage_failed'])
  })

  test('that cannot be read at first is not told at all', async () => {
    const log = createMemoryLog()
    const list = () => Promise.reject(new SluiceError('storage_failed'))
    const { watch, told, create } = openWatch({ log: { ...log, list } })
    await expect(watch.start()).rejects.toMatchObject({ code: 'storage_failed' })
    await create('sess_a')
    expect(told).toEqual([])
  })

  test('is shown as it is, whatever changes while the wire is free or not', async () => {
    const id = fc.constantFrom('sess_a', 'sess_b', 'sess_c', 'sess_d')
    const step = fc.oneof(
      fc.record({ act: fc.constantFrom('create' as const, 'end' as const, 'remove' as const), id }),
      fc.record({ act: fc.constantFrom('stop' as const, 'free' as const, 'pass' as const), id }),
    )
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 30 }), async (steps) => {
        const { watch, shown, line, list, ...acts } = openWatch()
        await acts.create('sess_a')
        await watch.start()
        for (const { act, id } of steps) {
          if (act === 'stop') line.isFree = false
          else if (act === 'pass') await new Promise((resolve) => setImmediate(resolve))
          else if (act === 'free') {
            line.isFree = true
            watch.drained()
          } else await acts[act](id).catch(() => {}) // ended and deleted sessions stay so
        }
        line.isFree = true
        watch.drained()
        const wanted = Object.fromEntries((await list()).map(({ id, state }) => [id, state]))
        await until(() => !watch.isStalled)
        await new Promise((resolve) => setImmediate(resolve))
        expect(Object.fromEntries(shown)).toEqual(wanted)
        watch.close()
      }),
      { numRuns: runs(50) },
    )
  })
})
