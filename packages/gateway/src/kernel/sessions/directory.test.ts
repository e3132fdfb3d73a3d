import { createMemoryLog, type Log } from '@sluice/log'
import { startCursor } from '@sluice/protocol'
import { dialectById } from '@sluice/protocol/dialects'
import { describe, expect, test } from 'vitest'
import { createFaultyLog } from '../../testing/faulty-log.ts'
import { openTestDirectory } from '../../testing/open-test-directory.ts'
import { each, entriesIn, publicationOf } from '../../testing/open-test-writer.ts'
import { aaepEvent, chunk, toBatch } from '../../testing/sample-lines.ts'
import { createSlowConnection } from '../../testing/slow-connection.ts'
import { enterAt } from '../fan-out/position.ts'
import { createSubscriber } from '../fan-out/subscriber.ts'
import { dialectView } from '../fan-out/view-spec.ts'
import { sseFormat } from '../fan-out/wire-format.ts'
import type { DirectoryChange } from './directory.ts'
import type { Session } from './session.ts'
import type { PublishReport } from './writer.ts'

const idleSessionMs = 60_000
const bare = publicationOf('stream-event')

const say = (session: Session, text: string): Promise<PublishReport> =>
  session.write((writer) => writer.publish(toBatch(chunk(text)), bare, each))
/** Lets everything run that only waits for its turn. */
const settle = (): Promise<void> => new Promise((run) => setImmediate(run))

describe('a session', () => {
  test('that does not exist is not found, and begins with what is written to it', async () => {
    const { directory } = openTestDirectory(createMemoryLog())
    expect(await directory.find('sess_a')).toBeUndefined()
    expect(directory.openCount).toBe(0)
    const session = await directory.open('sess_a')
    await say(session, 'a')
    expect(await directory.find('sess_a')).toBe(session)
  })

  test('is opened once, however many ask for it at the same time', async () => {
    const { directory } = openTestDirectory(createMemoryLog())
    const sessions = await Promise.all(Array.from({ length: 8 }, () => directory.open('sess_a')))
    expect(new Set(sessions).size).toBe(1)
  })

  test('is opened from the log with what it was', async () => {
    const log = createMemoryLog()
    const first = openTestDirectory(log)
    await say(await first.directory.open('sess_a'), 'a')
    await first.directory.close()
    const { directory } = openTestDirectory(log)
    const session = await directory.find('sess_a')
    expect(session?.lastSeq).toBe(0)
    expect((await session?.stateAt(0))?.seq).toBe(0)
    expect(await session?.read(0, 1000)).toEqual(await entriesIn(log, 'sess_a'))
  })

  test('leaves memory when nobody has used it for a while, with a checkpoint', async () => {
    const log = createMemoryLog()
    const { directory, clock } = openTestDirectory(log)
    await say(await directory.open('sess_a'), 'a')
    clock.advance(idleSessionMs - 1)
    await settle()
    expect(directory.openCount).toBe(1)
    clock.advance(2 * idleSessionMs)
    await settle()
    expect(directory.openCount).toBe(0)
    expect(await log.checkpoint('sess_a', 9)).toMatchObject({ seq: 0 })
  })

  test('gives its state back when the states of all sessions weigh too much, and goes on from the log', async () => {
    const log = createMemoryLog()
    const { directory } = openTestDirectory(log, { stateWeight: 7000 })
    const text = 'x'.repeat(2000)
    for (const id of ['sess_a', 'sess_b', 'sess_c', 'sess_a']) await say(await directory.open(id), text)
    for (let turns = 0; turns < 20; turns++) await settle()
    expect(directory.states.isFull).toBe(false)
    expect(directory.states.used).toBeGreaterThan(2000)
    const state = await (await directory.open('sess_a')).stateAt(1)
    expect(state.weight).toBeGreaterThan(4000)
  })

  test('that is too heavy for all of the budget is written to no more', async () => {
    const { directory } = openTestDirectory(createMemoryLog(), { stateWeight: 1000 })
    const session = await directory.open('sess_a')
    await session.write(async (writer) => {
      await writer.publish(toBatch(chunk('x'.repeat(2000))), bare, each)
      expect(directory.states.isFull).toBe(true)
    })
    expect(await directory.delete('sess_a')).toBe(true)
    expect(directory.states.used).toBe(0)
  })

  test('counts the ids of its events towards the budget', async () => {
    const { directory } = openTestDirectory(createMemoryLog())
    const session = await directory.open('sess_a')
    const lines = Array.from({ length: 500 }, (_, n) =>
      aaepEvent({ session: 'sess_a', name: 'progress.updated', id: `${n}` }),
    )
    const report = await session.write((writer) =>
      writer.publish(toBatch(...lines), publicationOf('aaep'), each),
    )
    expect(report).toMatchObject({ accepted: 500 })
    const { weight } = await session.stateAt(session.lastSeq)
    expect(directory.states.used - weight).toBeGreaterThan(16 * 500)
  })

  test('lets others have their turn while a long batch is read, and stores both whole', async () => {
    const log = createMemoryLog()
    const { directory } = openTestDirectory(log)
    const session = await directory.open('sess_a')
    const long = toBatch(...Array.from({ length: 2000 }, (_, n) => chunk(`${n} `)))
    const turns: string[] = []
    setImmediate(() => turns.push('other'))
    const first = session
      .write((writer) => writer.publish(long, bare, each))
      .finally(() => turns.push('batch'))
    const later = [say(session, 'a'), say(session, 'b')]
    expect(await first).toMatchObject({ accepted: 2000, seq: 1999 })
    expect(await Promise.all(later)).toMatchObject([{ seq: 2000 }, { seq: 2001 }])
    expect(turns).toEqual(['other', 'batch'])
    const texts = (await entriesIn(log, 'sess_a')).flatMap(({ events }) =>
      events.map((event) => (event.kind === 'text-delta' ? event.text : '')),
    )
    expect(texts.join('')).toBe(`${Array.from({ length: 2000 }, (_, n) => `${n} `).join('')}ab`)
  })

  test('stays while it is written, and no append is lost or written twice', async () => {
    const log = createFaultyLog(createMemoryLog())
    const { directory, clock } = openTestDirectory(log)
    const session = await directory.open('sess_a')
    const release = log.hold()
    const first = say(session, 'a')
    clock.advance(3 * idleSessionMs)
    await settle()
    expect(directory.openCount).toBe(1)
    expect(await directory.open('sess_a')).toBe(session)
    release()
    await first
    expect(session.lastSeq).toBe(0)
  })

  test('that someone still holds is the same one for all, however long it rested', async () => {
    const log = createMemoryLog()
    const { directory, clock } = openTestDirectory(log)
    const held = await directory.open('sess_a')
    await say(held, 'a')
    clock.advance(2 * idleSessionMs)
    await settle()
    const asked = await directory.find('sess_a')
    const results = await Promise.allSettled([say(held, 'b'), say(asked ?? held, 'c'), say(held, 'd')])
    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'fulfilled'])
    expect(asked?.lastSeq).toBe(3)
    expect((await entriesIn(log, 'sess_a')).map(({ seq }) => seq)).toEqual([0, 1, 2, 3])
  })

  test('that rested reaches readers who come afterwards', async () => {
    const { directory, clock } = openTestDirectory(createMemoryLog())
    const session = await directory.open('sess_a')
    await say(session, 'a')
    clock.advance(2 * idleSessionMs)
    await settle()
    expect(directory.openCount).toBe(0)
    const spec = dialectView(dialectById('stream-event'), undefined)
    const connection = createSlowConnection(sseFormat, 1 << 20)
    const entered = await enterAt(spec, session, startCursor)
    if (entered === undefined) throw new Error('the start is always there')
    const subscriber = createSubscriber({
      ...{ session, spec, connection, clock },
      sliceBytes: 1 << 16,
      onDelivered: () => {},
      onClosed: () => {},
    })
    subscriber.start(entered)
    await settle()
    await say(session, 'b')
    await settle()
    expect(connection.text).toContain('{"content":"b"}')
    subscriber.close()
  })

  test('that is about to be written is not replaced by looking for it', async () => {
    const { directory } = openTestDirectory(createMemoryLog())
    const begun = await directory.open('sess_a')
    expect(await directory.find('sess_a')).toBeUndefined()
    const other = await directory.open('sess_a')
    await say(other, 'a')
    await say(begun, 'b')
    await say(other, 'c')
    expect(begun.lastSeq).toBe(2)
  })

  test('is not split when more sessions are open than may be', async () => {
    const { directory } = openTestDirectory(createMemoryLog(), { openSessions: 2 })
    const held: Session[] = []
    for (const name of ['a', 'b', 'c', 'd']) held.push(await directory.open(`sess_${name}`))
    await settle()
    for (const session of held) {
      await say(session, '1')
      await say(await directory.open(session.id), '2')
      await say(session, '3')
      expect(session.lastSeq).toBe(2)
    }
  })

  test('goes on after the log has failed', async () => {
    const log = createFaultyLog(createMemoryLog())
    const { directory } = openTestDirectory(log)
    const session = await directory.open('sess_a')
    await say(session, 'a')
    log.failAppends('storage_full', 0)
    const results = await Promise.allSettled([say(session, 'b'), say(session, 'c')])
    expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
    expect(session.lastSeq).toBe(0)
    expect(await say(session, 'd')).toMatchObject({ accepted: 1, seq: 1 })
    expect((await entriesIn(log, 'sess_a')).map(({ seq }) => seq)).toEqual([0, 1])
  })
})

describe('a session that is deleted', () => {
  test('sends its readers away and is never found or written again', async () => {
    const { directory } = openTestDirectory(createMemoryLog())
    const session = await directory.open('sess_a')
    await say(session, 'a')
    let resets = 0
    session.readers.add({
      reset: () => {
        resets += 1
      },
    })
    expect(await directory.delete('sess_a')).toBe(true)
    expect(resets).toBe(1)
    await expect(directory.find('sess_a')).rejects.toMatchObject({ code: 'session_deleted' })
    await expect(directory.open('sess_a')).rejects.toMatchObject({ code: 'session_deleted' })
    await expect(say(session, 'b')).rejects.toMatchObject({ code: 'session_deleted' })
    expect(directory.openCount).toBe(0)
  })

  test('takes the append with it that was on its way', async () => {
    const log = createFaultyLog(createMemoryLog())
    const { directory } = openTestDirectory(log)
    const session = await directory.open('sess_a')
    await say(session, 'a')
    const release = log.hold()
    const late = say(session, 'b')
    await directory.delete('sess_a')
    release()
    await expect(late).rejects.toMatchObject({ code: 'session_deleted' })
  })

  test('does not come back through one who was opening it', async () => {
    const log = createMemoryLog()
    const first = openTestDirectory(log)
    await say(await first.directory.open('sess_a'), 'a')
    let proceed = (): void => {}
    const waiting = new Promise<void>((resolve) => {
      proceed = resolve
    })
    const slow: Log = {
      ...log,
      head: async (session) => {
        const head = await log.head(session)
        await waiting
        return head
      },
    }
    const { directory } = openTestDirectory(slow)
    const opening = directory.find('sess_a')
    await settle()
    const deleted = directory.delete('sess_a')
    await settle()
    proceed()
    await deleted
    await opening.catch(() => undefined)
    await expect(directory.find('sess_a')).rejects.toMatchObject({ code: 'session_deleted' })
  })
})

test('watch() tells of what is created, changes and is deleted, until it is told to stop', async () => {
  const { directory } = openTestDirectory(createMemoryLog())
  const changes: string[] = []
  const note = (change: DirectoryChange): void => {
    changes.push(change.type === 'deleted' ? `deleted ${change.id}` : `changed ${change.session.id}`)
  }
  const stop = directory.watch(note)
  const session = await directory.open('sess_a')
  await say(session, 'a')
  await say(session, 'b')
  await session.write((writer) =>
    writer.make(() => [{ kind: 'session-end', outcome: 'failed' }], {
      direction: 'system',
      source: { dialect: 'sluice' },
    }),
  )
  await directory.delete('sess_a')
  expect(changes).toEqual(['changed sess_a', 'changed sess_a', 'deleted sess_a'])
  stop()
  await say(await directory.open('sess_b'), 'a')
  expect(changes).toHaveLength(3)
})

test('retire() removes ended sessions and forgets them', async () => {
  const { directory, clock } = openTestDirectory(createMemoryLog())
  for (const id of ['sess_a', 'sess_b']) await say(await directory.open(id), 'a')
  await (await directory.open('sess_a')).write((writer) =>
    writer.make(() => [{ kind: 'session-end', outcome: 'completed' }], {
      direction: 'system',
      source: { dialect: 'sluice' },
    }),
  )
  clock.advance(1000)
  expect(await directory.retire({ endedBefore: clock.now() })).toBe(1)
  await expect(directory.find('sess_a')).rejects.toMatchObject({ code: 'session_deleted' })
  expect(await directory.find('sess_b')).toBeDefined()
})
