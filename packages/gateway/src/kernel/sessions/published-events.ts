import {
  breach,
  type Dialect,
  type Finding,
  type QuestionClose,
  type Rule,
  type SessionEnd,
  type SessionState,
  type SluiceEvent,
  tableGet,
} from '@sluice/protocol'
import { countdownNotes, notesOf, reservedNotes, withNotes } from '../questions/question-notes.ts'
import { type IsTaken, withUniqueEvents } from '../questions/unique-tokens.ts'

export const reservedNote = {
  code: 'reserved_note',
  source: 'Sluice gateway',
  verdict: 'finding',
  sentence:
    'Only the gateway sets token, again and via in meta.ext.sluice, and countdown for a question that is not open; those of the event were dropped.',
} as const satisfies Rule

/**
 * A dialect for frames that a publisher sends. Its events are data: they carry no notes in the gateway's
 * name, a person that they name is a claim, and the tokens of their questions are unique across sessions. A
 * frame that had to be changed for this is not passed on unchanged.
 */
export function toPublishedDialect(dialect: Dialect, isTaken: IsTaken | undefined): Dialect {
  const decode: Dialect['decode'] = {
    initial: () => dialect.decode.initial(),
    step(state, frame, session) {
      const decoded = dialect.decode.step(state, frame, session)
      const plain = toPlainEvents(decoded.events, session)
      const events = isTaken === undefined ? plain : withUniqueEvents(plain, session, isTaken)
      if (events === decoded.events) return decoded
      const findings = [...decoded.findings, ...findReservedNotes(decoded.events, session)]
      return { ...decoded, events, findings, exact: false }
    },
  }
  return { ...dialect, decode }
}

/** Events without anything that only the gateway may say; the given ones if they contain none of it. */
export function toPlainEvents(given: readonly SluiceEvent[], session: SessionState): readonly SluiceEvent[] {
  const isPlain = given.every((event) => !namesPerson(event) && reservedNotesOf(event, session).length === 0)
  return isPlain ? given : given.map((event) => withoutNotes(withClaim(event), session))
}

/** The notes of an event that its publisher may not set. */
function reservedNotesOf(event: SluiceEvent, session: SessionState): readonly string[] {
  if (event.meta?.ext?.['sluice'] === undefined) return []
  const notes = notesOf(event)
  const { countdown } = notes
  const asked = typeof countdown === 'string' ? tableGet(session.questions, countdown) : undefined
  const isCounting = asked !== undefined && asked.closed === undefined
  return [...reservedNotes, ...(isCounting ? [] : countdownNotes)].filter((name) => notes[name] !== undefined)
}

function findReservedNotes(events: readonly SluiceEvent[], session: SessionState): readonly Finding[] {
  const hasSome = events.some((event) => reservedNotesOf(event, session).length > 0)
  return hasSome ? [breach(reservedNote, '')] : []
}

/** The roles of AAEP §4.1 that may end a session; every other value is the name of a person. */
const parts: readonly (string | undefined)[] = [undefined, 'user', 'producer', 'timeout', 'system']

/** Whether an event names the person who did something. Only what was done through the gateway is certain. */
function namesPerson(event: SluiceEvent): event is QuestionClose | SessionEnd {
  if (event.kind === 'session-end') return !parts.includes(event.by)
  return event.kind === 'question-close' && event.by !== undefined
}

function withClaim(event: SluiceEvent): SluiceEvent {
  if (!namesPerson(event)) return event
  const { by, ...rest } = event
  return by === undefined ? event : { ...rest, claimedBy: by }
}

function withoutNotes(event: SluiceEvent, session: SessionState): SluiceEvent {
  const dropped = reservedNotesOf(event, session)
  if (dropped.length === 0) return event
  const kept = Object.entries(notesOf(event)).filter(([name]) => !dropped.includes(name))
  return { ...event, meta: withNotes(event.meta, Object.fromEntries(kept)) }
}
