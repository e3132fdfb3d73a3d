import {
  admit,
  createIntake,
  createSessionState,
  type Dialect,
  type Entry,
  parseFrame,
  type SluiceEvent,
  startCursor,
} from '@sluice/protocol'
import { dialectById, dialects } from '@sluice/protocol/dialects'
import { describe, expect, test } from 'vitest'
import { type PlayedSession, playedId, playSession } from '../../testing/played-session.ts'
import { runs } from '../../testing/runs.ts'
import { toLines } from '../../testing/sample-lines.ts'
import { createSlowConnection } from '../../testing/slow-connection.ts'
import { encodeEntries } from './batch.ts'
import { enterAt } from './position.ts'
import { createSubscriber } from './subscriber.ts'
import { dialectView } from './view-spec.ts'
import { ndjsonCursorFormat, ndjsonFormat, sseFormat, toChunked, wsFormat } from './wire-format.ts'

const limits = { sliceBytes: 4096, ringBytes: 8192 }
const formats = [sseFormat, ndjsonFormat, ndjsonCursorFormat, wsFormat, toChunked(sseFormat)]
const count = 700

const groups: readonly (readonly SluiceEvent[])[] = [
  [{ kind: 'session-start', request: 'Tell me.' }],
  ...Array.from({ length: count }, (_, n): readonly SluiceEvent[] =>
    n % 40 === 39
      ? [{ kind: 'state-change', to: n % 80 === 39 ? 'thinking' : 'writing' }]
      : [
          {
            kind: 'text-delta',
            output: 'out',
            take: 0,
            position: 0,
            text: `word ${n} é 💖 `,
            channel: 'answer',
          },
        ],
  ),
  [{ kind: 'text-end', output: 'out', take: 0 }],
  [{ kind: 'session-end', outcome: 'completed' }],
]

/** The entries of a session whose producer speaks a dialect, with a line of another one before line `brokenAt`. */
function entriesIn(dialect: Dialect, brokenAt: number | undefined): readonly Entry[] {
  let intake = createIntake(createSessionState({ id: playedId }))
  const entries: Entry[] = []
  const take = (text: string, from: Dialect): void => {
    const parsed = parseFrame(text)
    const admission = parsed.ok ? admit(intake, parsed.frame, { dialect: from, at: 0 }) : undefined
    if (admission?.ok !== true) throw new Error('a frame was refused')
    intake = admission.intake
    entries.push(admission.entry)
  }
  for (const [index, line] of toLines(dialect, playedId, groups).entries()) {
    if (index === brokenAt)
      take('{"type":"log","data":{"message":"Something else."}}', dialectById('stream-event'))
    take(line, dialect)
  }
  return entries
}

/** The frames of a reader whose frames are all encoded. */
async function encodeAll(
  session: PlayedSession,
  encoding: Parameters<typeof encodeEntries>[0],
): Promise<string> {
  const entered = await enterAt(encoding.spec, session, startCursor)
  if (entered === undefined) throw new Error('the start exists')
  const batches = encodeEntries(encoding, session.entries, { start: entered.position, maxBytes: 1 << 30 })
  return batches.map(({ bytes }) => bytes.toString()).join('')
}

describe.each(dialects)('a session of $id, read unchanged', (dialect) => {
  test.each([
    ['all of it', undefined],
    ['with an entry of another dialect', 300],
    ['with one at the start', 0],
  ])('gives the frames of its encoder, however slowly it is read: %s', async (_, brokenAt) => {
    const script = entriesIn(dialect, brokenAt)
    const turn = dialects.indexOf(dialect) + (brokenAt ?? 1)
    // All formats in the soak, otherwise one at a time.
    for (const [index, capacity] of [1, 5000, 1 << 30].entries())
      for (const format of runs(1) > 1
        ? formats
        : formats.slice((turn + index) % formats.length).slice(0, 1)) {
        const session = playSession({ script, limits, ringsBytes: 1 << 20 })
        session.append(script.length)
        const spec = dialectView(dialect, undefined)
        const connection = createSlowConnection(format, capacity)
        const entered = await enterAt(spec, session, startCursor)
        if (entered === undefined) throw new Error('the start exists')
        const { clock } = session
        const subscriber = createSubscriber({
          ...{ session, spec, connection, clock, sliceBytes: limits.sliceBytes },
          onDelivered: () => {},
          onClosed: () => {},
        })
        subscriber.start(entered)
        for (let round = 0; connection.finished === undefined; round++) {
          if (round > 20_000) throw new Error('never ends')
          if (round % 3 === 0) subscriber.trim(clock.monotonic())
          connection.drain(subscriber)
          await new Promise((resolve) => setImmediate(resolve))
        }
        expect(connection.isReset).toBe(false)
        // Whether batches are cut alike does not matter: chunks and separators are compared apart.
        const bare =
          format === wsFormat ? wsFormat : formats.find(({ id }) => id === format.id.replace('+chunked', ''))
        const expected = await encodeAll(session, { spec, format: bare ?? format })
        const received = connection.messages
          .map((text) => (format.id.endsWith('+chunked') ? text.replace(/^[0-9a-f]+\r\n|\r\n$/g, '') : text))
          .join(format.separator)
        expect(received === expected).toBe(true)
      }
  })
})

test('stored frames are copied without decoding them', async () => {
  const script = entriesIn(dialectById('aaep'), undefined)
  const session = playSession({ script, limits, ringsBytes: 1 << 20 })
  session.append(script.length)
  const before = session.reads
  const read: PlayedSession['read'] = () => Promise.reject(new Error('decoded'))
  const connection = createSlowConnection(sseFormat, 1 << 30)
  const spec = dialectView(dialectById('aaep'), undefined)
  const entered = await enterAt(spec, session, startCursor)
  if (entered === undefined) throw new Error('the start exists')
  const subscriber = createSubscriber({
    ...{ session: { ...session, lastSeq: session.lastSeq, isEnded: true, read }, spec, connection },
    ...{ clock: session.clock, sliceBytes: 1 << 20 },
    onDelivered: () => {},
    onClosed: () => {},
  })
  subscriber.start(entered)
  await expect.poll(() => connection.finished).toEqual({ cursor: String(script.length - 1), ended: true })
  expect(session.reads - before).toBe(1)
})
