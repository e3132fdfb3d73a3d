import { type Cursor, formatCursor, type OutFrame, startCursor } from '@sluice/protocol'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type PlayedSession, playedId, playSession } from '../../testing/played-session.ts'
import { runs } from '../../testing/runs.ts'
import { anyDialect, anyGroups, makeEntries } from '../../testing/sample-lines.ts'
import { createSlowConnection, type SlowConnection } from '../../testing/slow-connection.ts'
import type { Coalescing } from './joiner.ts'
import { enterAt, flushPosition, heldUntil, stepEntry, type ViewSpec } from './position.ts'
import { createSubscriber, type Subscriber } from './subscriber.ts'
import { dialectView } from './view-spec.ts'
import { ndjsonCursorFormat, sseFormat, type WireFormat, wsFormat } from './wire-format.ts'

interface Joined {
  readonly spec: ViewSpec
  readonly connection: SlowConnection
  readonly subscriber: Subscriber
  readonly cursor: Cursor
  /** How many frames it started with: those that its dialect needs for joining, and the rest of an entry. */
  readonly entered: number
  hasLeft: boolean
}

type Step =
  | { readonly do: 'append'; readonly count: number }
  | { readonly do: 'join'; readonly reader: number; readonly place: number; readonly capacity: number }
  | { readonly do: 'drain' | 'leave' | 'trim'; readonly reader: number }
  | { readonly do: 'turn' }
  | { readonly do: 'wait'; readonly ms: number }

const anyStep: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({ do: fc.constant('append' as const), count: fc.integer({ min: 1, max: 4 }) }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('join' as const),
      reader: fc.nat(3),
      place: fc.nat(1000),
      capacity: fc.constantFrom(1, 200, 2000, 1_000_000),
    }),
  },
  { weight: 5, arbitrary: fc.record({ do: fc.constantFrom('drain' as const), reader: fc.nat(20) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('trim' as const), reader: fc.nat(20) }) },
  fc.record({ do: fc.constant('leave' as const), reader: fc.nat(20) }),
  { weight: 4, arbitrary: fc.constant({ do: 'turn' as const }) },
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constant('wait' as const), ms: fc.integer({ min: 1, max: 60 }) }),
  },
)

const anyCoalescing = fc.constantFrom<Coalescing | undefined>(
  undefined,
  { unit: 'word' },
  { unit: 'sentence' },
  { spanMs: 40 },
)
const anyFormat = fc.constantFrom<WireFormat>(sseFormat, ndjsonCursorFormat)
const anySpec = fc.tuple(anyDialect, anyCoalescing).map(([dialect, how]) => dialectView(dialect, how))

/** The frames that a reader without interruptions receives from a place, in order. */
async function readWhole(session: PlayedSession, spec: ViewSpec, from: Cursor): Promise<readonly OutFrame[]> {
  const entered = await enterAt(spec, session, from)
  if (entered === undefined) throw new Error('nothing is at this place')
  let { position } = entered
  const frames = [...entered.joining(), ...entered.rest]
  for (const entry of session.entries.slice(position.seq + 1)) {
    const stepped = stepEntry(spec, position, entry)
    position = stepped.position
    frames.push(...stepped.frames)
  }
  const until = heldUntil(spec, position)
  const isOver = until !== undefined && session.clock.now() >= until
  return isOver ? [...frames, ...flushPosition(spec, position).frames] : frames
}

const write = (format: WireFormat, frames: readonly OutFrame[]): string =>
  frames.map((frame) => format.format(frame)).join(format.separator)
const turn = (): Promise<void> => new Promise((run) => setImmediate(run))

/** Lets all readers take what is available, until nothing changes. */
async function settleAll(
  session: PlayedSession,
  readers: readonly Pick<Joined, 'connection' | 'subscriber'>[],
): Promise<void> {
  let bytes = -1
  // A reader may read one entry at a time, which takes several turns, and sends joined text only at its end.
  const patience = 4 + 4 * session.entries.length
  for (let quiet = 0; quiet < patience; ) {
    for (const { connection, subscriber } of readers) connection.drain(subscriber)
    await turn()
    await turn()
    session.clock.advance(100)
    const taken = readers.reduce((sum, { connection }) => sum + connection.text.length, 0)
    quiet = taken === bytes ? quiet + 1 : 0
    bytes = taken
  }
}

test('any interleaving of appends, stalls, joins and leaves gives every reader the uninterrupted bytes', async () => {
  const property = fc.asyncProperty(
    anyGroups,
    fc.tuple(anySpec, anySpec),
    anyFormat,
    fc.record({ sliceBytes: fc.constantFrom(64, 1000, 65_536), ringBytes: fc.constantFrom(0, 700, 262_144) }),
    fc.constantFrom(1000, 1 << 20),
    fc.array(anyStep, { maxLength: 60 }),
    async (groups, specs, format, limits, ringsBytes, steps) => {
      const session = playSession({
        script: makeEntries(playedId, groups),
        limits,
        ringsBytes,
        beforeRead: turn,
      })
      const readers: Joined[] = []

      const join = async (index: number, place: number, capacity: number): Promise<void> => {
        const spec = specs[index % 2] ?? specs[0]
        const known = await readWhole(session, spec, startCursor)
        const cursors = [startCursor, ...known.map((frame) => frame.cursor)]
        const cursor = cursors[place % cursors.length] ?? startCursor
        const entered = await enterAt(spec, session, cursor)
        if (entered === undefined) throw new Error(`nothing is at ${formatCursor(cursor)}`)
        const connection = createSlowConnection(format, capacity)
        const subscriber = createSubscriber({
          session,
          spec,
          connection,
          clock: session.clock,
          sliceBytes: limits.sliceBytes,
          onDelivered: () => {},
          onClosed: () => {},
        })
        const count = entered.joining().length + entered.rest.length
        readers.push({ spec, connection, subscriber, cursor, entered: count, hasLeft: false })
        subscriber.start(entered)
      }

      for (const step of steps) {
        const reader = 'reader' in step ? readers[step.reader % Math.max(1, readers.length)] : undefined
        if (step.do === 'append') session.append(step.count)
        else if (step.do === 'join') await join(step.reader, step.place, step.capacity)
        else if (step.do === 'turn') await turn()
        else if (step.do === 'wait') session.clock.advance(step.ms)
        else if (step.do === 'drain') reader?.connection.drain(reader.subscriber)
        else if (step.do === 'trim') reader?.subscriber.trim(session.clock.monotonic())
        else if (reader !== undefined) {
          reader.subscriber.close()
          reader.hasLeft = true
        }
        expect(session.budget.usedBytes).toBeLessThanOrEqual(ringsBytes)
      }
      session.append(1000)
      // Text whose span has ended is released; then all readers take what is available.
      session.clock.advance(1000)
      await settleAll(session, readers)

      for (const { spec, connection, cursor, entered, hasLeft } of readers) {
        const own = await readWhole(session, spec, cursor)
        const text = write(format, own)
        // A reader that left may have left in the middle of a character.
        if (hasLeft)
          expect(Buffer.from(text).subarray(0, connection.bytes.length).equals(connection.bytes)).toBe(true)
        else expect(connection.text).toBe(text)
        // After the frames for joining come the frames that a reader from the start receives.
        const whole = await readWhole(session, spec, startCursor)
        const seen = whole.findLastIndex((frame) => formatCursor(frame.cursor) === formatCursor(cursor))
        expect(text.endsWith(write(format, whole.slice(seen + 1)))).toBe(true)
        expect(own.length).toBeLessThanOrEqual(entered + whole.length - seen - 1)
        if (!hasLeft && session.isEnded) expect(connection.finished).toMatchObject({ ended: true })
        expect(connection.isReset).toBe(false)
      }
      for (const { subscriber } of readers) subscriber.close()
      expect(session.budget.usedBytes).toBe(0)
      expect(session.hub.isQuiet).toBe(true)
    },
  )
  await fc.assert(property, { numRuns: runs(150) })
})

test('over WebSocket a batch stays one message, and all messages together are the uninterrupted frames', async () => {
  const property = fc.asyncProperty(
    anyGroups,
    anySpec,
    fc.array(anyStep, { maxLength: 30 }),
    async (groups, spec, steps) => {
      const limits = { sliceBytes: 300, ringBytes: 4000 }
      const session = playSession({ script: makeEntries(playedId, groups), limits, ringsBytes: 1 << 20 })
      const entered = await enterAt(spec, session, startCursor)
      if (entered === undefined) throw new Error('the start is always there')
      const connection = createSlowConnection(wsFormat, 500)
      const subscriber = createSubscriber({
        session,
        spec,
        connection,
        clock: session.clock,
        sliceBytes: limits.sliceBytes,
        onDelivered: () => {},
        onClosed: () => {},
      })
      subscriber.start(entered)
      for (const step of steps) {
        if (step.do === 'append') session.append(step.count)
        else if (step.do === 'drain') connection.drain(subscriber)
        else if (step.do === 'trim') subscriber.trim(session.clock.monotonic())
        else if (step.do === 'turn') await turn()
      }
      session.append(1000)
      session.clock.advance(1000)
      await settleAll(session, [{ connection, subscriber }])
      const messages = connection.messages.map((text) => JSON.parse(`[${text}]`) as readonly unknown[]) // or throws
      const whole = await readWhole(session, spec, startCursor)
      expect(JSON.stringify(messages.flat())).toBe(JSON.stringify(JSON.parse(`[${write(wsFormat, whole)}]`)))
      subscriber.close()
    },
  )
  await fc.assert(property, { numRuns: runs(60) })
})
