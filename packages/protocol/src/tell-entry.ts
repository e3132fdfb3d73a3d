import { startCursor } from './cursor.ts'
import type { Dialect, OutFrame } from './dialect.ts'
import type { Entry } from './entry.ts'
import type { SluiceEvent } from './events.ts'
import { parseFrame } from './intake.ts'
import { lossesBetween } from './losses.ts'
import { omitUndefined } from './omit-undefined.ts'
import { createSessionState, type OutputState, type SessionState } from './session-state.ts'
import { settle } from './settle.ts'
import { tablePick } from './table.ts'

/** One entry as readers of a dialect receive it. */
export interface ToldEntry {
  readonly frames: readonly OutFrame[]
  /**
   * The parts of the entry that these frames do not state: paths such as `tool-call.args` or `meta.trace`,
   * sorted.
   */
  readonly lost: readonly string[]
}

/** More texts, or calls, than agents have open at once; bounds the frames that are repeated. */
const maxOpen = 1024

/**
 * Encodes an entry in a dialect, for a reader that has read the session up to `before`, the state before the
 * entry. Facts that the reader already knows, such as the agent, are not lost if the frames do not repeat
 * them. Never throws.
 */
export function tellEntry(dialect: Dialect, before: SessionState, entry: Entry): ToldEntry {
  const joined = dialect.encode.enter(before, { seq: entry.seq - 1 })
  const { frames } = dialect.encode.step(joined.state, entry)
  const isCopy = frames.length === 1 && frames[0]?.data === entry.raw && entry.source.dialect === dialect.id
  if (isCopy) return { frames, lost: [] }
  const earlier = joined.frames.length > 0 ? joined.frames : retell(dialect, before)
  const caughtUp = readFrames(
    dialect,
    { state: dialect.decode.initial(), session: createSessionState(before) },
    earlier,
  )
  // That reader has read the whole session, but knows its agent only as far as the dialect names it.
  const { events } = readFrames(
    dialect,
    { state: caughtUp.state, session: { ...before, agent: caughtUp.session.agent } },
    frames,
  )
  const kinds = new Set(events.map(({ kind }) => kind))
  const stated = entry.events
    .filter((event) => !isWithoutText(event))
    .map((event) => (kinds.has(event.kind) ? event : withoutMeta(event)))
  // Any first frame shows that the session has started, and frames need not repeat the agent.
  const start = { kind: 'session-start' } as const
  const agents = caughtUp.events.flatMap(({ meta }) => meta?.agent ?? [])
  const known: readonly SluiceEvent[] = [start, ...agents.map((agent) => ({ ...start, meta: { agent } }))]
  return { frames, lost: lossesBetween(stated, [...known, ...events]) }
}

/** How far a reader is: the state of its decoder, and the session as it knows it. */
interface Reader {
  readonly state: unknown
  readonly session: SessionState
}

/** The meaning of frames for a reader, and how far they take it. */
function readFrames(
  dialect: Dialect,
  before: Reader,
  frames: readonly OutFrame[],
): Reader & { readonly events: readonly SluiceEvent[] } {
  const events: SluiceEvent[] = []
  let { state, session } = before
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
 * Frames for a dialect that has none for joining: those of a session with the agent and the open texts and
 * calls. Its decoder needs nothing else of what came before.
 */
function retell(dialect: Dialect, session: SessionState): readonly OutFrame[] {
  if (!session.started) return []
  const { agent } = session
  const meta = omitUndefined({ meta: agent === undefined ? undefined : { agent } })
  const texts = tablePick(session.outputs, session.open.outputs)
  const calls = tablePick(session.calls, session.open.calls)
  const events: readonly SluiceEvent[] = [
    { kind: 'session-start', ...meta },
    // Not every dialect has a frame for a start.
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

/** If the frames omit a kind entirely, losing its time and agent is not a further loss. */
function withoutMeta(event: SluiceEvent): SluiceEvent {
  if (event.meta === undefined || event.meta.implied === true) return event
  const { meta: _meta, ...rest } = event
  return rest
}
