import { startCursor } from './cursor.ts'
import type { Dialect, OutFrame } from './dialect.ts'
import type { Entry } from './entry.ts'
import type { SluiceEvent } from './events.ts'
import { parseFrame } from './intake.ts'
import { lossesBetween } from './losses.ts'
import { createSessionState, type OutputState, type SessionState } from './session-state.ts'
import { settle } from './settle.ts'
import { tableValues } from './table.ts'

/** One entry as the readers of a dialect get it. */
export interface ToldEntry {
  readonly frames: readonly OutFrame[]
  /** What of the entry these frames no longer say: paths such as `tool-call.args` or `meta.trace`, sorted. */
  readonly lost: readonly string[]
}

/** More texts, or calls, than agents have open at once; it bounds what is told again. */
const maxOpen = 1024

/**
 * Tells an entry in a dialect, to a reader who has read the session up to `before`, the state before the entry. What
 * that reader knows already, such as who speaks, is not lost where the frames do not repeat it. Never throws.
 */
export function tellEntry(dialect: Dialect, before: SessionState, entry: Entry): ToldEntry {
  const joined = dialect.encode.enter(before, { seq: entry.seq - 1 })
  const { frames } = dialect.encode.step(joined.state, entry)
  const isCopy = frames.length === 1 && frames[0]?.data === entry.raw && entry.source.dialect === dialect.id
  if (isCopy) return { frames, lost: [] }
  const earlier = joined.frames.length > 0 ? joined.frames : retell(dialect, before)
  const caughtUp = readFrames(dialect, dialect.decode.initial(), createSessionState(before), earlier)
  // Of the session that reader has read everything; who speaks it knows only as its contract told it.
  const { events } = readFrames(dialect, caughtUp.state, { ...before, agent: caughtUp.session.agent }, frames)
  const kinds = new Set(events.map(({ kind }) => kind))
  const stated = entry.events
    .filter((event) => !isWithoutText(event))
    .map((event) => (kinds.has(event.kind) ? event : withoutMeta(event)))
  // Whatever comes first tells that the session has started, and who speaks is told once and for all.
  const start = { kind: 'session-start' } as const
  const agents = caughtUp.events.flatMap(({ meta }) => meta?.agent ?? [])
  const known: readonly SluiceEvent[] = [start, ...agents.map((agent) => ({ ...start, meta: { agent } }))]
  return { frames, lost: lossesBetween(stated, [...known, ...events]) }
}

interface Reading {
  readonly state: unknown
  readonly session: SessionState
  readonly events: readonly SluiceEvent[]
}

/** What frames mean to a reader whose session has come to `before`. */
function readFrames(
  dialect: Dialect,
  initial: unknown,
  before: SessionState,
  frames: readonly OutFrame[],
): Reading {
  const events: SluiceEvent[] = []
  let state = initial
  let session = before
  for (const { data } of frames) {
    const parsed = parseFrame(data)
    if (!parsed.ok) continue
    const decoded = dialect.decode.step(state, parsed.frame, session)
    state = decoded.state
    session = settle(session, decoded.events).state
    events.push(...decoded.events)
  }
  return { state, session, events }
}

/**
 * Frames for a contract that has none for joining: those of a session that tells who speaks, and which texts and calls
 * are open. That is all that its decoder needs of what came before.
 */
function retell(dialect: Dialect, session: SessionState): readonly OutFrame[] {
  if (!session.started) return []
  const meta = session.agent === undefined ? {} : { meta: { agent: session.agent } }
  const texts = tableValues(session.outputs).filter(({ open }) => open)
  const calls = tableValues(session.calls).filter(({ status }) => status === undefined)
  const events: readonly SluiceEvent[] = [
    { kind: 'session-start', ...meta },
    // Not every contract has a frame for a start.
    { kind: 'state-change', to: 'thinking', ...meta },
    ...texts.slice(0, maxOpen).flatMap(reopen),
    ...calls.slice(0, maxOpen).map(({ call, tool }) => ({ kind: 'tool-call' as const, call, tool })),
  ]
  const { state } = dialect.encode.enter(createSessionState(session), startCursor)
  const source = { dialect: 'sluice' }
  const entry = { seq: 0, at: session.at, source, clean: false, diagnostics: [] }
  return dialect.encode.step(state, { ...entry, direction: 'system', events }).frames
}

function reopen({ output, take, channel }: OutputState): readonly SluiceEvent[] {
  const delta: SluiceEvent = { kind: 'text-delta', output, take, position: 0, channel, text: ' ' }
  return take > 0 ? [{ kind: 'text-reset', output, take, channel }, delta] : [delta]
}

/** A delta without a character adds nothing to a text. */
function isWithoutText(event: SluiceEvent): boolean {
  return event.kind === 'text-delta' && event.text === ''
}

/** Of a kind that is not told at all, when and by whom it was said is no further loss. */
function withoutMeta(event: SluiceEvent): SluiceEvent {
  if (event.meta === undefined || event.meta.implied === true) return event
  const { meta: _meta, ...rest } = event
  return rest
}
