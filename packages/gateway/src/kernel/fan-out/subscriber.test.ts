import { type Cursor, type SluiceEvent, startCursor } from '@sluice/protocol'
import { dialectById } from '@sluice/protocol/dialects'
import { describe, expect, test } from 'vitest'
import { type PlayedSession, playedId, playSession } from '../../testing/played-session.ts'
import { makeEntries } from '../../testing/sample-lines.ts'
import { createSlowConnection, type SlowConnection } from '../../testing/slow-connection.ts'
import type { Coalescing } from './joiner.ts'
import { enterAt } from './position.ts'
import { createSubscriber, type Subscriber, type SubscriberOptions } from './subscriber.ts'
import { dialectView, inputsView } from './view-spec.ts'
import { sseFormat } from './wire-format.ts'

const KiB = 1024
const limits = { sliceBytes: 64 * KiB, ringBytes: 256 * KiB }
const ringsBytes = 1 << 24
const say = (text: string, output = 'out'): readonly SluiceEvent[] => [
  { kind: 'text-delta', output, take: 0, position: 0, text, channel: 'answer' },
]
const native = dialectView(dialectById('sluice'), undefined)
const day = 86_400_000
/** A reader that makes something again and then reads on needs two turns of the event loop. */
const turn = async (): Promise<void> => {
  for (let round = 0; round < 3; round++) await new Promise((run) => setImmediate(run))
}

interface Reading {
  readonly connection: SlowConnection
  readonly subscriber: Subscriber
}

function play(groups: readonly (readonly SluiceEvent[])[]): PlayedSession {
  return playSession({ script: makeEntries(playedId, groups), limits, ringsBytes })
}

async function read(
  session: PlayedSession,
  capacityBytes: number,
  more: Partial<SubscriberOptions> & { readonly from?: Cursor } = {},
): Promise<Reading> {
  const spec = more.spec ?? native
  const entered = await enterAt(spec, session, more.from ?? startCursor)
  if (entered === undefined) throw new Error('nothing is at this place')
  const connection = createSlowConnection(sseFormat, capacityBytes)
  const subscriber = createSubscriber({
    session,
    spec,
    connection,
    clock: session.clock,
    sliceBytes: limits.sliceBytes,
    onDelivered: () => {},
    onClosed: () => {},
    ...more,
  })
  subscriber.start(entered)
  return { connection, subscriber }
}

describe('a reader that stalls', () => {
  test('is not written to, and costs one slice beyond its socket', async () => {
    const session = play([say('start'), ...Array.from({ length: 300 }, () => say('x'.repeat(4 * KiB)))])
    const { connection, subscriber } = await read(session, 1)
    session.append(1)
    while (session.append(7)) await turn()
    expect(connection.maxWaiting).toBeLessThanOrEqual(limits.sliceBytes)
    expect(subscriber.isStalled).toBe(true)
    expect(subscriber.lag).toBeGreaterThan(290)
    for (let count = -1; count !== connection.chunks.length; ) {
      count = connection.chunks.length
      connection.drain(subscriber)
      await turn()
    }
    expect(subscriber.lag).toBe(0)
    expect(connection.maxWaiting).toBeLessThanOrEqual(limits.sliceBytes)
    expect(connection.text.match(/^id: \d+$/gm)).toHaveLength(301)
    subscriber.close()
  })

  test.each([
    { how: 'that stayed with it', isTrimmed: false },
    { how: 'that was let go and is made again', isTrimmed: true },
  ])('gets the rest of a large frame $how', async ({ isTrimmed }) => {
    const session = play([say('a'), say(`<${'y'.repeat(900 * KiB)}>`), say('z')])
    const slow = await read(session, 1)
    const fast = await read(session, 1 << 24)
    session.append(3)
    for (let count = -1; count !== slow.connection.chunks.length; ) {
      count = slow.connection.chunks.length
      if (isTrimmed) slow.subscriber.trim(session.clock.monotonic())
      slow.connection.drain(slow.subscriber)
      await turn()
    }
    expect(slow.connection.text).toBe(fast.connection.text)
    expect(slow.connection.chunks.length).toBeGreaterThan(14)
    expect(slow.connection.maxWaiting).toBeLessThanOrEqual(limits.sliceBytes)
    // A trimmed batch is made again, so its entries are read again.
    expect(session.reads > 10).toBe(isTrimmed)
    for (const { subscriber } of [slow, fast]) subscriber.close()
    expect(session.budget.usedBytes).toBe(0)
  })

  test('shares the memory for frames of joining with all others, and gets each frame whole', async () => {
    const texts = Array.from({ length: 8 }, (_, n) => say('x'.repeat(200 * KiB), `out_${n}`))
    const session = play([...texts, say('z', 'out_0')])
    session.append(8)
    const spec = dialectView(dialectById('a2a'), undefined)
    const from = { seq: 7 }
    const fast = await read(session, 1 << 24, { spec, from })
    const slow: Reading[] = []
    for (let count = 0; count < 30; count++) slow.push(await read(session, 1, { spec, from }))
    expect(fast.connection.bytes.length).toBeGreaterThan(1600 * KiB)
    expect(session.budget.usedBytes).toBeGreaterThan(0)
    expect(session.budget.usedBytes).toBeLessThanOrEqual(ringsBytes)
    session.append(1)
    for (const { connection, subscriber } of slow) {
      for (let count = -1; count !== connection.chunks.length; ) {
        count = connection.chunks.length
        subscriber.trim(session.clock.monotonic())
        connection.drain(subscriber)
        await turn()
      }
      expect(connection.text === fast.connection.text).toBe(true)
    }
    for (const { subscriber } of [fast, ...slow]) subscriber.close()
    expect(session.budget.usedBytes).toBe(0)
  })

  test('is the only one for whom batches are kept', async () => {
    const session = play(Array.from({ length: 60 }, () => say('word ')))
    const fast = await read(session, 1 << 24)
    session.append(20)
    await turn()
    expect(session.budget.usedBytes).toBe(0)
    const slow = await read(session, 1, { from: { seq: 19 } })
    session.append(20)
    await turn()
    session.append(20)
    await turn()
    expect(session.budget.usedBytes).toBeGreaterThan(0)
    const reads = session.reads
    for (let count = 0; count < 8; count++) slow.connection.drain(slow.subscriber)
    expect(slow.subscriber.lag).toBe(0)
    expect(session.reads).toBe(reads)
    expect(session.budget.usedBytes).toBe(0)
    expect(fast.connection.text.endsWith(slow.connection.text)).toBe(true)
    for (const { subscriber } of [fast, slow]) subscriber.close()
  })

  test('tells since when, and is well again once it takes something', async () => {
    const session = play([say('a'), say('b')])
    const { connection, subscriber } = await read(session, 1)
    session.append(1)
    await turn()
    expect(subscriber.stalledSince).toBe(session.clock.monotonic())
    session.clock.advance(5000)
    connection.drain(subscriber)
    expect(subscriber.stalledSince).toBeUndefined()
    subscriber.close()
  })
})

test('entries of one turn reach every reader at the head in one write', async () => {
  const session = play(Array.from({ length: 40 }, (_, n) => say(`${n} `)))
  const readers = [await read(session, 1 << 20), await read(session, 1 << 20)]
  for (let n = 0; n < 32; n++) session.append(1)
  await turn()
  const late = await read(session, 1 << 20)
  session.append(1)
  await turn()
  for (const { connection, subscriber } of readers) {
    expect(connection.chunks).toHaveLength(2)
    expect(connection.text.match(/^id: \d+$/gm)).toHaveLength(33)
    subscriber.close()
  }
  expect(late.connection.text).toBe(readers[0]?.connection.text)
  late.subscriber.close()
})

test('a reader that joins between the commit and its delivery gets each entry once', async () => {
  const session = play(Array.from({ length: 6 }, (_, n) => say(`${n} `)))
  const first = await read(session, 1 << 20)
  session.append(2)
  const entered = await Promise.all([read(session, 1 << 20), read(session, 1 << 20)])
  session.append(1)
  await turn()
  session.append(3)
  await turn()
  for (const { connection, subscriber } of [first, ...entered]) {
    expect(connection.text.match(/^id: \d+$/gm)).toEqual([
      'id: 0',
      'id: 1',
      'id: 2',
      'id: 3',
      'id: 4',
      'id: 5',
    ])
    subscriber.close()
  }
})

describe('heartbeats', () => {
  test('are sent when nothing else was', async () => {
    const session = play([say('a'), say('b')])
    const { connection, subscriber } = await read(session, 1 << 20)
    session.append(1)
    session.clock.advance(1000)
    subscriber.beat(session.clock.monotonic() - 1001)
    expect(connection.heartbeats).toEqual([])
    subscriber.beat(session.clock.monotonic() - 1000)
    expect(connection.heartbeats).toEqual([undefined])
    subscriber.beat(session.clock.monotonic() - 1000)
    expect(connection.heartbeats).toHaveLength(1)
    subscriber.close()
  })

  test('carry the cursor once where it moved past entries without a frame', async () => {
    const session = play([say('a'), say('b'), say('c')])
    const { connection, subscriber } = await read(session, 1 << 20, { spec: inputsView })
    session.append(2)
    await turn()
    session.clock.advance(15_000)
    subscriber.beat(session.clock.monotonic())
    session.clock.advance(15_000)
    subscriber.beat(session.clock.monotonic())
    expect(connection.heartbeats).toEqual(['1', undefined])
    expect(connection.text).toBe('')
    subscriber.close()
  })

  test('are not sent to a connection that takes nothing, nor in the middle of a frame', async () => {
    const session = play([say('x'.repeat(200 * KiB))])
    const { connection, subscriber } = await read(session, 1)
    session.append(1)
    await turn()
    session.clock.advance(60_000)
    subscriber.beat(session.clock.monotonic())
    expect(connection.heartbeats).toEqual([])
    subscriber.close()
  })
})

describe('the end', () => {
  test('is told once everything was written, and nothing comes behind it', async () => {
    const session = play([say('a'), [{ kind: 'session-end', outcome: 'completed' }]])
    const { connection, subscriber } = await read(session, 1)
    session.append(2)
    expect(connection.finished).toBeUndefined()
    for (let left = 3; left > 0; left--) {
      connection.drain(subscriber)
      await turn()
    }
    expect(connection.finished).toEqual({ cursor: '1', ended: true })
    expect(session.hub.isQuiet).toBe(true)
  })

  test('comes where the session stood when only that was asked for', async () => {
    const session = play([say('a'), say('b'), say('c')])
    session.append(2)
    const { connection } = await read(session, 1 << 20, { stopAt: 1 })
    session.append(1)
    await turn()
    expect(connection.finished).toEqual({ cursor: '1', ended: false })
    expect(connection.text.match(/^id: .*$/gm)).toEqual(['id: 0', 'id: 1'])
  })

  test('is a reset when the log cannot be read', async () => {
    const session = play([say('a')])
    session.append(1)
    const broken = { ...session, lastSeq: 0, isEnded: false, read: () => Promise.reject(new Error('gone')) }
    const { connection } = await read(session, 1 << 20, { session: broken })
    await turn()
    expect(connection.isReset).toBe(true)
    expect(connection.finished).toBeUndefined()
  })

  test('is a reset when entries that were there are gone', async () => {
    const session = play([say('a')])
    session.append(1)
    let reads = 0
    const emptied = {
      ...session,
      lastSeq: 0,
      isEnded: false,
      async read() {
        reads += 1
        // A reader that never stops asking would block this test.
        if (reads > 50) throw new Error('asked for ever')
        return []
      },
    }
    const { connection } = await read(session, 1 << 20, { session: emptied })
    await turn()
    expect(connection.isReset).toBe(true)
    expect(reads).toBe(1)
  })
})

describe('text that is joined by time', () => {
  const spanned = (coalescing: Coalescing) => dialectView(dialectById('stream-event'), coalescing)

  test('leaves when its span is over, for all who hold it', async () => {
    const session = play([say('one '), say('two ')])
    const spec = spanned({ spanMs: 40 })
    const first = await read(session, 1 << 20, { spec })
    session.append(2)
    expect(first.connection.text).not.toContain('one')
    const second = await read(session, 1 << 20, { spec })
    await turn()
    session.clock.advance(40)
    await turn()
    session.clock.advance(1)
    expect(first.connection.text).toContain('one two ')
    expect(second.connection.text).toBe(first.connection.text)
    for (const { subscriber } of [first, second]) subscriber.close()
  })

  test.each([-day, day])('goes on when the clock is set by %i ms', async (ms) => {
    const session = play([say('one '), say('two '), say('three '), say('four ')])
    const spec = spanned({ spanMs: 40 })
    const { connection, subscriber } = await read(session, 1 << 20, { spec })
    for (const text of ['one ', 'two ', 'three ', 'four ']) {
      session.append(1)
      await turn()
      session.clock.stepWall(text === 'two ' ? ms : 0)
      session.clock.advance(41)
      expect(connection.text).toContain(text)
    }
    const replayed = await read(session, 1 << 20, { spec })
    await turn()
    expect(replayed.connection.text).toBe(connection.text)
    expect(session.entries.map(({ at }) => at)).toEqual(session.entries.map(({ at }) => at).toSorted())
    for (const each of [subscriber, replayed.subscriber]) each.close()
  })

  test('reaches one who comes when the others have it already and nothing else happens', async () => {
    const session = play([say('one '), say('two ')])
    const spec = spanned({ spanMs: 40 })
    const first = await read(session, 1 << 20, { spec })
    session.append(2)
    session.clock.advance(100)
    const late = await read(session, 1 << 20, { spec })
    await turn()
    session.clock.advance(100)
    expect(late.connection.text).toBe(first.connection.text)
    for (const { subscriber } of [first, late]) subscriber.close()
  })

  test('waits for its span also for one who joined inside of it, who leaves nothing behind', async () => {
    const session = play([say('one '), say('two ')])
    const spec = spanned({ spanMs: 40 })
    const first = await read(session, 1 << 20, { spec })
    session.append(2)
    // After the start of the session and the first letter of the text.
    const inside = await read(session, 1 << 20, { spec, from: { seq: 0, units: 2 } })
    const leaving = await read(session, 1 << 20, { spec, from: { seq: 0, units: 2 } })
    await turn()
    session.clock.advance(30)
    expect(inside.connection.text).toBe('')
    leaving.subscriber.close()
    session.clock.advance(11)
    expect(inside.connection.text).toContain('ne two ')
    for (const { subscriber } of [first, inside]) subscriber.close()
    expect(session.hub.isQuiet).toBe(true)
    expect(session.clock.timers).toBe(0)
  })

  test('is whole for a reader that joins after one who has its first frame already', async () => {
    const session = play([[{ ...say('one ')[0], channel: 'reasoning' } as SluiceEvent]])
    session.append(1)
    const spec = dialectView(dialectById('aaep'), { spanMs: 40 })
    const from = { seq: 0, units: 1, frames: 1, dialect: 'aaep' }
    const inside = await read(session, 1 << 20, { spec, from })
    const late = await read(session, 1 << 20, { spec })
    await turn()
    session.clock.advance(41)
    expect(inside.connection.text).toMatch(/^id: 0\n/)
    expect(late.connection.text).toContain('id: 0.1.aaep.1\n')
    expect(late.connection.text.endsWith(inside.connection.text)).toBe(true)
    for (const { subscriber } of [inside, late]) subscriber.close()
  })

  test('leaves no trace of one who goes while it waits', async () => {
    const session = play([say('one '), say('two ')])
    const spec = spanned({ spanMs: 40 })
    const first = await read(session, 1 << 20, { spec })
    session.append(2)
    const waiting = await read(session, 1 << 20, { spec, from: { seq: 0, units: 2 } })
    await turn()
    for (const { subscriber } of [waiting, first]) subscriber.close()
    expect(session.hub.isQuiet).toBe(true)
    expect(session.clock.timers).toBe(0)
  })

  test('has a cursor behind which nothing of it is missing', async () => {
    const session = play([say('one '), say('two ')])
    const { subscriber } = await read(session, 1 << 20, { spec: spanned({ spanMs: 40 }) })
    session.append(2)
    await turn()
    expect(subscriber.cursor).toBe('0.1')
    session.clock.advance(41)
    expect(subscriber.cursor).toBe('1')
    subscriber.close()
  })
})

test('a cursor that counts more units or entries than there are points to where nothing is', async () => {
  const session = play([say('a'), say('b')])
  session.append(2)
  expect(await enterAt(native, session, { seq: 0, units: 9 })).toBeUndefined()
  expect(await enterAt(native, session, { seq: 2 })).toBeUndefined()
})
