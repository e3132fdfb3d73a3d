import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { type Cursor, type SluiceEvent, startCursor } from '@sluice/protocol'
import { dialects } from '@sluice/protocol/dialects'
import { describe, expect, test } from 'vitest'
import { type PlayedSession, playedId, playSession } from '../../testing/played-session.ts'
import { runs } from '../../testing/runs.ts'
import { makeEntries } from '../../testing/sample-lines.ts'
import { createSlowConnection, type SlowConnection } from '../../testing/slow-connection.ts'
import type { Coalescing } from './joiner.ts'
import { enterAt, type ViewSpec } from './position.ts'
import { createSubscriber, type Subscriber } from './subscriber.ts'
import type { SubscriberConnection } from './subscriber-connection.ts'
import { dialectView } from './view-spec.ts'
import { ndjsonCursorFormat, ndjsonFormat, sseFormat, wsFormat } from './wire-format.ts'

const isSoak = runs(1) > 1
const KiB = 1024
const limits = { sliceBytes: 4 * KiB, ringBytes: 8 * KiB }
const turn = (): Promise<void> => new Promise((run) => setImmediate(run))

const joinings: readonly (readonly [name: string, coalescing: Coalescing | undefined])[] = [
  ['as it came', undefined],
  ['by word', { unit: 'word' }],
  ['by sentence', { unit: 'sentence' }],
  ['by paragraph', { unit: 'paragraph' }],
  ['by 40 ms', { spanMs: 40 }],
]
const formats = [sseFormat, ndjsonFormat, ndjsonCursorFormat, wsFormat]

const say = (text: string): readonly SluiceEvent[] => [
  { kind: 'text-delta', output: 'out', take: 0, position: 0, text, channel: 'answer' },
]
const sentence = 'The lazy dog sleeps. '
/** More than one frame in AAEP; in the soak, in every dialect that bounds its frames. */
const manyFrames = `${sentence.repeat(60)}\n\n`.repeat(isSoak ? 55 : 14)
const text = [
  ...Array.from({ length: 40 }, (_, n) =>
    say(`${n} ${n % 3 === 0 ? '\n\n' : ''}${sentence.repeat(20)}and so`),
  ),
  say(manyFrames),
  ...Array.from({ length: 20 }, (_, n) => say(`${n} on ${sentence.repeat(8)}`)),
]
const script = makeEntries(playedId, [
  [{ kind: 'session-start' }],
  ...text,
  [{ kind: 'text-end', output: 'out', take: 0 }],
  [{ kind: 'session-end', outcome: 'completed' }],
])

const places: readonly (readonly [name: string, after: Cursor])[] = [
  ['at the start', startCursor],
  ['in the frames for joining, and after the large event', { seq: 41 }],
  ['in the middle of the text', { seq: 11, units: 30 }],
  ['in an event of many frames', { seq: 40 }],
  ['at the end', { seq: 60 }],
]

interface Reading {
  readonly connection: SlowConnection
  readonly subscriber: Subscriber
}

async function open(
  session: PlayedSession,
  spec: ViewSpec,
  after: Cursor,
  connection: SubscriberConnection,
): Promise<Subscriber> {
  const entered = await enterAt(spec, session, after)
  if (entered === undefined) throw new Error('nothing is at this place')
  const { clock } = session
  const { sliceBytes } = limits
  const onDelivered = (): void => {}
  const subscriber = createSubscriber({
    ...{ session, spec, connection, clock, sliceBytes, onDelivered },
    onClosed: () => {},
  })
  subscriber.start(entered)
  return subscriber
}

/** Lets readers take what waits for them, until all have everything; trims them at every `trimEvery`th time. */
async function readOn(session: PlayedSession, readers: readonly Reading[], trimEvery: number): Promise<void> {
  for (let round = 1; readers.some(({ connection }) => connection.finished === undefined); round++) {
    if (round > 5000) throw new Error('never ends')
    for (const { connection, subscriber } of readers) {
      if (round % trimEvery === 0) subscriber.trim(session.clock.monotonic())
      connection.drain(subscriber)
    }
    await turn()
    session.clock.advance(50)
  }
}

const readerCount = isSoak ? 4 : 2
const ringsBytes = 20 * KiB

describe.each(dialects.map((dialect) => [dialect.id, dialect] as const))(
  'readers of %s who take nothing',
  (_, dialect) => {
    describe.each(joinings)('text %s', (_name, coalescing) => {
      test.each(places)(
        '%s cost a slice each, share one budget, and get everything once they read',
        async (_place, after) => {
          const spec = dialectView(dialect, coalescing)
          // Every format in the soak; otherwise each case has one of them.
          const turnOf = [
            dialect.id.length,
            joinings.findIndex(([, how]) => how === coalescing),
            after.seq + 1,
          ]
          const one = formats[turnOf.reduce((sum, each) => sum + each, 0) % formats.length] ?? sseFormat
          for (const format of isSoak ? formats : [one]) {
            const session = playSession({ script, limits, ringsBytes })
            session.append(Math.min(script.length - 2, after.seq + 5))
            const fast = createSlowConnection(format, 1 << 26)
            const fastReader = await open(session, spec, after, fast)
            const readers: Reading[] = []
            for (let count = 0; count < readerCount; count++) {
              const connection = createSlowConnection(format, 1)
              readers.push({ connection, subscriber: await open(session, spec, after, connection) })
            }
            while (session.append(3)) {
              await turn()
              expect(session.budget.usedBytes).toBeLessThanOrEqual(ringsBytes)
            }
            for (const { subscriber } of readers) subscriber.trim(session.clock.monotonic())
            await readOn(session, [...readers, { connection: fast, subscriber: fastReader }], isSoak ? 1 : 5)
            for (const { connection } of readers) {
              expect(
                connection.messages.join(format.separator) === fast.messages.join(format.separator),
              ).toBe(true)
              expect(connection.maxWaiting).toBeLessThanOrEqual(limits.sliceBytes)
            }
            expect(session.budget.usedBytes).toBe(0)
          }
        },
      )
    })
  },
)

const many = isSoak ? 100 : 20

describe.each(dialects.map((dialect) => [dialect.id, dialect] as const))(
  'a stalled reader of %s',
  (_, dialect) => {
    test.each(joinings)('costs the producer nothing, text %s', async (_name, coalescing) => {
      let steps = 0
      const view = dialectView(dialect, coalescing)
      const step: ViewSpec['encoder']['step'] = (...args) => {
        steps += 1
        return view.encoder.step(...args)
      }
      const spec = { ...view, encoder: { ...view.encoder, step } }
      const groups = Array.from({ length: 600 }, (_, n) =>
        say(n % 5 === 0 ? `${n} ends.\n\nAnd ` : `word ${n} `),
      )
      const session = playSession({ script: makeEntries(playedId, groups), limits, ringsBytes })
      session.append(10)
      const stalled: Reading[] = []
      for (let count = 0; count < 10; count++) {
        const connection = createSlowConnection(sseFormat, 1)
        stalled.push({ connection, subscriber: await open(session, spec, { seq: count - 1 }, connection) })
      }
      // The view has passed them all after some entries.
      while (session.lastSeq < 400 && session.append(10)) {
        await turn()
        session.clock.advance(50)
      }
      expect(session.hub.isQuiet).toBe(true)
      const before = { steps, reads: session.reads }
      while (session.append(10)) await turn()
      expect({ steps, reads: session.reads }).toEqual(before)
      for (const { subscriber } of stalled) subscriber.close()
    })

    test('keeps one slice in memory, wherever it stalls', async () => {
      const gc = collector()
      const groups = Array.from({ length: 2500 }, (_, n) => say(`${n} and on and on `))
      const entries = makeEntries(playedId, groups)
      const played = playSession({ script: entries, limits, ringsBytes: 64 * KiB })
      played.append(entries.length)
      // As from a log: the entries of every read are new.
      const session: PlayedSession = {
        ...played,
        lastSeq: played.lastSeq,
        read: async (...where) => structuredClone(await played.read(...where)),
      }
      const subscribers: Subscriber[] = []
      const openMany = async (count: number): Promise<void> => {
        for (let n = 0; n < count; n++) {
          const [, coalescing] = joinings[n % joinings.length] ?? []
          const after = { seq: 1900 + ((n * 97) % 590) }
          subscribers.push(await open(session, dialectView(dialect, coalescing), after, closedConnection(n)))
        }
        // Few of them read at the same time.
        for (let round = 0; round < count; round++) await turn()
      }
      await openMany(many)
      const before = gc()
      await openMany(many)
      const perReader = (gc() - before) / many
      expect(perReader).toBeLessThan(48 * KiB)
      for (const subscriber of subscribers) subscriber.close()
      expect(session.budget.usedBytes).toBe(0)
    })
  },
)

/** A connection that accepts one write and keeps nothing of it. */
function closedConnection(n: number): SubscriberConnection {
  const format = formats[n % formats.length] ?? sseFormat
  return { format, write: () => false, heartbeat: () => {}, finish: () => {}, reset: () => {} }
}

/** Collects garbage and returns the bytes that remain in the heap and in buffers. */
function collector(): () => number {
  setFlagsFromString('--expose-gc')
  const gc = runInNewContext('gc') as () => void // the flag defines it
  return () => {
    for (let round = 0; round < 3; round++) gc()
    const { heapUsed, external } = process.memoryUsage()
    return heapUsed + external
  }
}
