import type { Decoded, Dialect, Frame } from './dialect.ts'
import type { Direction, Entry, Source } from './entry.ts'
import type { Meta, SluiceEvent } from './events.ts'
import { breach, type Finding, type Rule } from './finding.ts'
import { closeEntry, type Keep, timeOf } from './fold.ts'
import { toOneLine } from './framing/one-line.ts'
import { isDeeperThan, type JsonValue } from './json.ts'
import type { SessionState } from './session-state.ts'
import { settle } from './settle.ts'
import { emptyTable, type Table, tableGet, tableSet } from './table.ts'

/** The rules that hold for every dialect. */
export const intakeRules = {
  notJson: {
    code: 'not_json',
    source: 'RFC 8259',
    verdict: 'refused',
    sentence: 'This is not one JSON value.',
  },
  tooDeep: {
    code: 'too_deep',
    source: 'Sluice limits',
    verdict: 'refused',
    sentence: 'Objects and arrays nest deeper than 64 levels.',
  },
  sessionEnded: {
    code: 'session_ended',
    source: 'Sluice sessions',
    verdict: 'refused',
    sentence: 'The session has ended; nothing may follow its end.',
  },
  unterminated: {
    code: 'unterminated_session',
    source: 'Sluice sessions',
    verdict: 'finding',
    sentence: 'The input ends before the session does.',
  },
  duplicateEventId: {
    code: 'duplicate_event_id',
    source: 'Sluice sessions',
    verdict: 'finding',
    sentence: 'Another event of this session already has this id.',
  },
  inputAsEvent: {
    code: 'input_as_event',
    source: 'Sluice sessions',
    verdict: 'refused',
    sentence:
      'Answers, messages and cancellations are inputs of a session and cannot be published as its events.',
  },
} as const satisfies Record<string, Rule>

export const maxFrameDepth = 64

export type ParsedFrame =
  | { readonly ok: true; readonly frame: Frame }
  | { readonly ok: false; readonly finding: Finding }

/** Parses one frame. */
export function parseFrame(text: string): ParsedFrame {
  let value: JsonValue
  try {
    value = JSON.parse(text) as JsonValue // JSON.parse returns nothing else
  } catch {
    // The engine's message quotes the input, so it is not handed on.
    return { ok: false, finding: breach(intakeRules.notJson, '') }
  }
  // Each level takes two brackets.
  if (text.length > maxFrameDepth * 2 && isDeeperThan(value, maxFrameDepth))
    return { ok: false, finding: breach(intakeRules.tooDeep, '') }
  return { ok: true, frame: { text: toOneLine(text), value } }
}

/** A session on its way in: its state, and one decoder state for each dialect and producer. */
export interface Intake {
  readonly session: SessionState
  readonly decoders: Table<unknown>
}

export interface Receipt {
  readonly dialect: Dialect
  /** When the frame came in, ms since 1970. */
  readonly at: number
  /**
   * The frames are a recording that is read again: what they say about their time, source and direction is taken over.
   * Without it they are what a publisher sends, and none of that is believed.
   */
  readonly isRecording?: boolean
  readonly producer?: string
  /** Who sent it, by its credential. Stands above what an entry that is handed on says of itself. */
  readonly subject?: string
  /** The W3C trace context it came with. */
  readonly trace?: string
  /** The frame's event id is taken by an event with other bytes. */
  readonly hasTakenId?: boolean
  readonly keep?: Keep
}

export type Admission =
  /** `findings` are those of this frame; an entry that was one before brings its own as well. */
  | {
      readonly ok: true
      readonly intake: Intake
      readonly entry: Entry
      readonly findings: readonly Finding[]
    }
  | { readonly ok: false; readonly intake: Intake; readonly finding: Finding }

export function createIntake(session: SessionState): Intake {
  return { session, decoders: emptyTable() }
}

/** Takes one frame into a session: decoded, checked, settled and folded, or refused with the rule that it breaks. */
export function admit(intake: Intake, frame: Frame, receipt: Receipt): Admission {
  if (intake.session.end !== undefined)
    return { ok: false, intake, finding: breach(intakeRules.sessionEnded, '') }
  const key = decoderKey(receipt)
  const before = tableGet(intake.decoders, key) ?? receipt.dialect.decode.initial()
  const decoded = receipt.dialect.decode.step(before, frame, intake.session)
  return store(intake, key, receipt.isRecording === true ? decoded : toSent(decoded), receipt, frame.text)
}

/** What a publisher sent: an event of its own, whatever the frame says about where it came from. */
function toSent(decoded: Decoded<unknown>): Decoded<unknown> {
  const { origin, direction, ...sent } = decoded
  if (origin === undefined && direction === undefined) return decoded
  if (direction !== 'input') return sent
  return { ...sent, refused: breach(intakeRules.inputAsEvent, origin === undefined ? '/type' : '/direction') }
}

/**
 * Ends the input of a session that has not ended. In a contract without a terminal frame that is how a session
 * completes; in any other it was cut off, and the session fails.
 */
export function admitEnd(intake: Intake, receipt: Receipt): Admission | undefined {
  if (intake.session.end !== undefined) return undefined
  const key = decoderKey(receipt)
  const state = tableGet(intake.decoders, key) ?? receipt.dialect.decode.initial()
  const decoded: Decoded<unknown> = receipt.dialect.supports.terminal
    ? {
        state,
        events: [cutOff],
        findings: [breach(intakeRules.unterminated, '')],
        exact: false,
        direction: 'system',
      }
    : { state, events: [completed], findings: [], exact: true, direction: 'system' }
  return store(intake, key, decoded, receipt, undefined)
}

/** What Sluice itself puts into a session, such as an answer. */
export interface Made {
  readonly at: number
  readonly direction: Direction
  readonly source: Source
}

/** Takes events that no frame brought into a session. Refused after its end. */
export function admitMade(intake: Intake, events: readonly SluiceEvent[], made: Made): Admission {
  const { session } = intake
  if (session.end !== undefined) return { ok: false, intake, finding: breach(intakeRules.sessionEnded, '') }
  const settled = settle(session, events)
  const entry: Entry = {
    seq: session.seq + 1,
    at: Math.max(session.at, made.at),
    source: made.source,
    direction: made.direction,
    clean: true,
    events: settled.events,
    diagnostics: [],
  }
  const closed = closeEntry(settled.state, entry)
  return { ok: true, entry, findings: [], intake: { session: closed, decoders: intake.decoders } }
}

const completed: SluiceEvent = { kind: 'session-end', outcome: 'completed', meta: { implied: true } }
const cutOff: SluiceEvent = {
  kind: 'session-end',
  outcome: 'failed',
  error: {
    category: 'transient',
    code: 'STREAM_INCOMPLETE',
    message: 'The stream ended before the session did.',
    recoverable: true,
  },
  meta: { implied: true },
}

/** The name under which an intake keeps the state of the decoder for such frames. */
export function decoderKey(receipt: Pick<Receipt, 'dialect' | 'producer'>): string {
  return receipt.producer === undefined ? receipt.dialect.id : `${receipt.dialect.id} ${receipt.producer}`
}

function store(
  intake: Intake,
  key: string,
  decoded: Decoded<unknown>,
  receipt: Receipt,
  text: string | undefined,
): Admission {
  if (decoded.refused !== undefined) return { ok: false, intake, finding: decoded.refused }
  const { origin } = decoded
  const isTaken = receipt.hasTakenId === true
  const findings = isTaken
    ? [...decoded.findings, breach(intakeRules.duplicateEventId, '')]
    : decoded.findings
  const diagnostics = origin === undefined ? findings : [...origin.findings, ...findings]
  const events = isTaken ? decoded.events.map(withoutId) : decoded.events
  const settled = settle(intake.session, events, receipt.keep)
  const entry = toEntry({
    seq: intake.session.seq + 1,
    at: Math.max(intake.session.at, origin?.at ?? arrivalOf(events, receipt)),
    source: sourceOf(receipt, origin?.source),
    direction: decoded.direction ?? 'event',
    raw: origin === undefined ? text : origin.raw,
    clean: diagnostics.length === 0 && decoded.exact && (origin?.clean ?? true),
    events: settled.events,
    diagnostics,
  })
  const isSame = tableGet(intake.decoders, key) === decoded.state
  const decoders = isSame ? intake.decoders : tableSet(intake.decoders, key, decoded.state)
  return { ok: true, entry, findings, intake: { session: closeEntry(settled.state, entry), decoders } }
}

function toEntry(parts: Omit<Entry, 'raw'> & { readonly raw: string | undefined }): Entry {
  if (parts.raw !== undefined) return parts as Entry // just checked
  const { raw: _raw, ...entry } = parts
  return entry
}

function arrivalOf(events: readonly SluiceEvent[], receipt: Receipt): number {
  const first = receipt.isRecording === true ? events[0] : undefined
  return first === undefined ? receipt.at : timeOf(first, receipt)
}

function sourceOf({ dialect, producer, subject, trace }: Receipt, origin: Source | undefined): Source {
  if (producer === undefined && subject === undefined && trace === undefined)
    return origin ?? { dialect: dialect.id }
  const own = origin ?? { dialect: dialect.id, ...(producer === undefined ? {} : { producer }) }
  return {
    ...own,
    ...(subject === undefined ? {} : { subject }),
    ...(trace === undefined ? {} : { trace }),
  }
}

function withoutId(event: SluiceEvent): SluiceEvent {
  if (event.meta?.id === undefined) return event
  const { id: _id, ...meta } = event.meta
  return { ...event, meta: meta satisfies Meta }
}
