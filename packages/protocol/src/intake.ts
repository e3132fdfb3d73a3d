import type { Decoded, Dialect, Frame } from './dialect.ts'
import type { Direction, Entry, Source } from './entry.ts'
import type { Meta, SluiceEvent } from './events.ts'
import { breach, type Finding, type Rule } from './finding.ts'
import { closeEntry, timeOf } from './fold.ts'
import { toOneLine } from './framing/one-line.ts'
import { isDeeperThan, type JsonValue } from './json.ts'
import { omitUndefined } from './omit-undefined.ts'
import type { SessionState } from './session-state.ts'
import { settle } from './settle.ts'
import { emptyTable, type Table, tableGet, tableSet } from './table.ts'
import { isTooMuch } from './window.ts'

/** The rules that apply to every dialect. */
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
  tooMuchOpen: {
    code: 'too_much_open',
    source: 'Sluice limits',
    verdict: 'refused',
    sentence: 'Too many texts, tool calls or questions are open in this session, or they are too large.',
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

/** Parses one frame; refuses text that is not JSON or nests too deep. */
export function parseFrame(text: string): ParsedFrame {
  let value: JsonValue
  try {
    value = JSON.parse(text) as JsonValue // JSON.parse returns nothing else
  } catch {
    // The engine's message quotes the input, so it is not passed on.
    return { ok: false, finding: breach(intakeRules.notJson, '') }
  }
  // Each level takes two brackets.
  if (text.length > maxFrameDepth * 2 && isDeeperThan(value, maxFrameDepth))
    return { ok: false, finding: breach(intakeRules.tooDeep, '') }
  return { ok: true, frame: { text: toOneLine(text), value } }
}

/** A session that takes in frames: its state, and one decoder state for each dialect and producer. */
export interface Intake {
  readonly session: SessionState
  readonly decoders: Table<unknown>
}

export interface Receipt {
  readonly dialect: Dialect
  /** When the frame came in, in ms since 1970. */
  readonly at: number
  /**
   * The frames are a recording: what they say about their time, source and direction is accepted. Otherwise a
   * publisher sent them, and none of that is believed.
   */
  readonly isRecording?: boolean
  readonly producer?: string
  /** Who sent it, by its credential. Overrides what a frame that is itself an entry says. */
  readonly subject?: string
  /** The W3C trace context that it came with. */
  readonly trace?: string
  /** An event with other bytes already has the frame's event id. */
  readonly hasTakenId?: boolean
}

export type Admission =
  /**
   * `findings` are those of this frame; if the frame is itself an entry, `entry` has the findings of that
   * entry too.
   */
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

/**
 * Adds one frame to a session: decoded, checked, settled and folded, or refused with the rule that it breaks.
 */
export function admit(intake: Intake, frame: Frame, receipt: Receipt): Admission {
  if (intake.session.end !== undefined)
    return { ok: false, intake, finding: breach(intakeRules.sessionEnded, '') }
  const key = decoderKey(receipt)
  const before = tableGet(intake.decoders, key) ?? receipt.dialect.decode.initial()
  const decoded = receipt.dialect.decode.step(before, frame, intake.session)
  const sent = receipt.isRecording === true ? decoded : toSent(decoded)
  return store(intake, receipt, { key, decoded: sent, text: frame.text })
}

/** Makes a frame the publisher's own event, whatever it says about its origin. */
function toSent(decoded: Decoded<unknown>): Decoded<unknown> {
  const { state, refused, events, findings, exact, origin, direction } = decoded
  if (origin === undefined && direction === undefined) return decoded
  // Written out: taking the rest of an object costs 0.1 µs, before it is known to be needed.
  const sent =
    refused === undefined ? { state, events, findings, exact } : { state, refused, events, findings, exact }
  if (direction !== 'input') return sent
  return { ...sent, refused: breach(intakeRules.inputAsEvent, origin === undefined ? '/type' : '/direction') }
}

/**
 * Ends the input of a session that has not ended. If the dialect has no terminal frame, the session
 * completes; otherwise it was cut off, and fails.
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
  return store(intake, receipt, { key, decoded, text: undefined })
}

/** The origin of events that Sluice itself adds to a session, such as an answer. */
export interface Made {
  readonly at: number
  readonly direction: Direction
  readonly source: Source
}

/** Adds events that no frame brought to a session. Refused after its end. */
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

/** The key under which an intake keeps the decoder state for such frames. */
export function decoderKey(receipt: Pick<Receipt, 'dialect' | 'producer'>): string {
  return receipt.producer === undefined ? receipt.dialect.id : `${receipt.dialect.id} ${receipt.producer}`
}

interface DecodedFrame {
  /** The key of its decoder. */
  readonly key: string
  readonly decoded: Decoded<unknown>
  /** Undefined for the end of an input, which no frame brings. */
  readonly text: string | undefined
}

function store(intake: Intake, receipt: Receipt, { key, decoded, text }: DecodedFrame): Admission {
  if (decoded.refused !== undefined) return { ok: false, intake, finding: decoded.refused }
  const { origin } = decoded
  const isTaken = receipt.hasTakenId === true
  const findings = isTaken
    ? [...decoded.findings, breach(intakeRules.duplicateEventId, '')]
    : decoded.findings
  const diagnostics = origin === undefined ? findings : [...origin.findings, ...findings]
  const events = isTaken ? decoded.events.map(withoutId) : decoded.events
  const settled = settle(intake.session, events)
  if (isTooMuch(intake.session, settled.state))
    return { ok: false, intake, finding: breach(intakeRules.tooMuchOpen, '') }
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
  const own = origin ?? omitUndefined({ dialect: dialect.id, producer })
  return {
    ...own,
    ...omitUndefined({ subject, trace }),
  }
}

function withoutId(event: SluiceEvent): SluiceEvent {
  if (event.meta?.id === undefined) return event
  const { id: _id, ...meta } = event.meta
  return { ...event, meta: meta satisfies Meta }
}
