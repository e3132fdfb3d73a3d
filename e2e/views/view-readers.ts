import {
  admit,
  type Cursor,
  createIntake,
  createSessionState,
  type Dialect,
  divideEntry,
  type Entry,
  foldEntry,
  formatCursor,
  type Intake,
  isSameCursor,
  type OutFrame,
  parseFrame,
  startCursor,
} from '@sluice/protocol'
import { dialects } from '@sluice/protocol/dialects'
import type { JoinSource } from '../../packages/gateway/src/kernel/fan-out/find-place.ts'
import type { Coalescing } from '../../packages/gateway/src/kernel/fan-out/joiner.ts'
import {
  cursorOf,
  enterAt,
  flushPosition,
  stepEntry,
  type ViewSpec,
} from '../../packages/gateway/src/kernel/fan-out/position.ts'
import { dialectView } from '../../packages/gateway/src/kernel/fan-out/view-spec.ts'

const coalescings: readonly (Coalescing | undefined)[] = [
  undefined,
  { unit: 'word' },
  { unit: 'sentence' },
  { unit: 'paragraph' },
  { spanMs: 40 },
]

export interface View {
  readonly name: string
  readonly dialect: Dialect
  readonly coalescing: Coalescing | undefined
  readonly spec: ViewSpec
}

/** Every dialect with every way of joining text. */
export const views: readonly View[] = dialects.flatMap((dialect) =>
  coalescings.map((coalescing) => {
    const spec = dialectView(dialect, coalescing)
    return { name: spec.key, dialect, coalescing, spec }
  }),
)

/** A stored session, with its state after each entry. */
export interface StoredSession extends JoinSource {
  readonly entries: readonly Entry[]
}

export function storeSession(entries: readonly Entry[], id = 'sess_test1'): StoredSession {
  const begun = createSessionState({ id })
  const states = [begun]
  for (const entry of entries) states.push(foldEntry(states.at(-1) ?? begun, entry))
  return {
    entries,
    lastSeq: entries.length - 1,
    entryAt: async (seq) => entries[seq],
    stateAt: async (seq) => states[seq + 1] ?? begun,
  }
}

/** A session, read from a cursor to its end. */
export interface Read {
  /** Frames that the dialect needs for joining. */
  readonly joining: readonly OutFrame[]
  readonly frames: readonly OutFrame[]
  /** The cursors that it has between frames, each with the number of frames before it. */
  readonly stops: readonly { readonly cursor: Cursor; readonly count: number }[]
}

/** Reads from a cursor in this process; undefined if the session has no such place. */
export async function readFrom(
  spec: ViewSpec,
  session: StoredSession,
  at: Cursor,
): Promise<Read | undefined> {
  const entered = await enterAt(spec, session, at)
  if (entered === undefined) return undefined
  const joining = entered.joining()
  const frames = [...entered.rest]
  let { position } = entered
  const stops = [{ cursor: cursorOf(position), count: frames.length }]
  for (const entry of session.entries.slice(position.seq + 1)) {
    const stepped = stepEntry(spec, position, entry)
    frames.push(...stepped.frames)
    position = stepped.position
    stops.push({ cursor: cursorOf(position), count: frames.length })
  }
  frames.push(...flushPosition(spec, position).frames)
  return { joining, frames, stops }
}

/** What a reader has understood so far. Immutable, so that many readers can continue from it. */
export interface Understanding {
  readonly intake: Intake
  readonly events: readonly string[]
  readonly texts: Readonly<Record<string, string>>
}

export const nothingUnderstood: Understanding = {
  intake: createIntake(createSessionState({ id: 'sess_reader' })),
  events: [],
  texts: {},
}

const textKinds: ReadonlySet<string> = new Set(['text-end', 'text-reset'])

/**
 * Decodes and settles frames, as a client does. Frames for joining repeat what came before, perhaps in other words: only
 * what they change in texts counts.
 */
export function understand(
  dialect: Dialect,
  before: Understanding,
  {
    frames,
    areForJoining = false,
  }: { readonly frames: readonly OutFrame[]; readonly areForJoining?: boolean | undefined },
): Understanding {
  let { intake } = before
  const events = [...before.events]
  const texts: Record<string, string> = { ...before.texts }
  for (const { data } of frames) {
    const parsed = parseFrame(data)
    if (!parsed.ok) throw new Error(`not a frame: ${data.slice(0, 200)}`)
    const admission = admit(intake, parsed.frame, { dialect, at: 0, isRecording: true })
    intake = admission.intake
    if (!admission.ok) throw new Error(`${admission.finding.code}: ${data.slice(0, 200)}`)
    for (const event of admission.entry.events) {
      if (event.kind === 'text-delta') {
        const key = `${event.channel} ${event.output} ${event.take}`
        if (event.text !== '') texts[key] = (texts[key] ?? '') + event.text
      } else if (event.meta?.implied !== true && (!areForJoining || textKinds.has(event.kind))) {
        const { meta: _meta, ...said } = event
        events.push(JSON.stringify(said))
      }
    }
  }
  return { intake, events, texts }
}

/** The content of a session as one text, so that contents can be compared. */
export function contentOf({ events, texts }: Understanding): string {
  return [
    ...events.toSorted(),
    ...Object.entries(texts)
      .map(([key, text]) => `${key}: ${text}`)
      .sort(),
  ].join('\n')
}

/**
 * The frames that a reader of a dialect has at a cursor, wherever its frames usually end. Frames of another
 * dialect do not count.
 */
export async function framesBefore(
  dialect: Dialect,
  session: StoredSession,
  at: Cursor,
): Promise<readonly OutFrame[]> {
  const { units, empty = 0 } = at
  let { state, frames } = dialect.encode.enter(await session.stateAt(-1), startCursor)
  const all = [...frames]
  for (const entry of session.entries.slice(0, units === undefined ? at.seq + 1 : at.seq)) {
    ;({ state, frames } = dialect.encode.step(state, entry))
    all.push(...frames)
  }
  const inside = session.entries[at.seq]
  if (units === undefined || inside === undefined) return all
  const { rest, part } = divideEntry(await session.stateAt(at.seq - 1), inside, { units, empty })
  const before = eventsBefore(inside, rest)
  if (before.length > 0) {
    const { raw: _raw, ...unframed } = inside
    ;({ state, frames } = dialect.encode.step(
      state,
      { ...unframed, events: before },
      { from: 0, isInner: true },
    ))
    all.push(...frames)
  }
  if (at.dialect !== dialect.id) return all
  const next = dialect.encode.step(state, rest, part).frames
  return [...all, ...next.slice(0, next.findIndex(({ cursor }) => isSameCursor(cursor, at)) + 1)]
}

/** The events of an entry that `rest` no longer has. */
function eventsBefore({ events }: Entry, { events: rest }: Entry): Entry['events'] {
  const [cut] = rest
  const whole = events.slice(0, events.length - rest.length)
  const event = events[whole.length]
  if (cut === event || cut?.kind !== 'text-delta' || event?.kind !== 'text-delta') return whole
  return [...whole, { ...event, text: event.text.slice(0, event.text.length - cut.text.length) }]
}

/** A cursor and a frame on one line, so that frames can be compared. */
export function toLines(frames: readonly OutFrame[]): readonly string[] {
  return frames.map(({ cursor, data }) => `${formatCursor(cursor)} ${data}`)
}

/** The place of a cursor without frames, which every view reads the same. */
export function withoutFrames({ frames: _frames, dialect: _dialect, ...place }: Cursor): Cursor {
  return place
}
