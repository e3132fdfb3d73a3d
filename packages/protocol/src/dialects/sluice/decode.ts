import type { Decoded, Decoder, Frame, FrameIdentity } from '../../dialect.ts'
import type { SluiceEvent } from '../../events.ts'
import { breach, type Finding } from '../../finding.ts'
import { isJsonObject, type JsonValue } from '../../json.ts'
import { type Checker, createChecker } from '../../schemas/check.ts'
import { eventFindings, isEvent } from '../../schemas/event-check.ts'
import type { SessionState } from '../../session-state.ts'
import { checkHead, checkSettled, checkTokens, type SluiceSequence, sluiceRules } from './sequence.ts'
import { entryHeadSchema, publishedHeadSchema, sluiceVersion, type WireEntry } from './wire.ts'

const entryChecker = createChecker(entryHeadSchema, 'protocol.md, The entry')
const publishedChecker = createChecker(publishedHeadSchema, 'protocol.md, Publishing')

/** Strictly checks an entry. */
export function validateEntry(value: JsonValue): readonly Finding[] {
  return check(entryChecker, value)
}

export function identify(value: JsonValue): FrameIdentity {
  if (!isJsonObject(value)) return {}
  const { session, foreign, context } = value
  return {
    ...(typeof session === 'string' ? { session } : {}),
    ...(typeof foreign === 'string' ? { foreign } : {}),
    ...(typeof context === 'string' ? { context } : {}),
  }
}

export const sluiceDecoder: Decoder<SluiceSequence> = {
  initial: () => ({ next: -1, at: 0 }),

  step(state, frame, session) {
    const { value } = frame
    if (isNewer(value))
      return {
        state,
        refused: breach(sluiceRules.newerVersion, '/v'),
        events: [],
        findings: [],
        exact: false,
      }
    if (isWhole(value)) {
      const findings = check(entryChecker, value)
      if (findings.length > 0) return unknown(state, frame, findings)
      return decodeEntry(state, value as unknown as WireEntry, session) // just checked
    }
    const findings = check(publishedChecker, value)
    if (findings.length > 0) return unknown(state, frame, findings)
    const events = (value as unknown as { events: readonly SluiceEvent[] }).events // fits publishedSchema
    return { state, events, findings: checkTokens(session, events), exact: true }
  },
}

function decodeEntry(
  state: SluiceSequence,
  entry: WireEntry,
  session: SessionState,
): Decoded<SluiceSequence> {
  const events = entry.events as readonly SluiceEvent[] // each fits the schema of its kind
  const { source, at, clean, raw, direction, diagnostics } = entry
  // A recording may begin in the middle of a session; what was open before is then unknown.
  const isJoined = state.next < 0 && entry.seq > 0
  const findings = checkHead(state, entry)
  const unsettled = isJoined ? noFindings : checkSettled(session, events)
  const origin = { source, at, clean, findings: diagnostics }
  return {
    state: { next: entry.seq + 1, at },
    events,
    findings: unsettled.length === 0 ? findings : [...findings, ...unsettled],
    exact: true,
    direction,
    origin: raw === undefined ? origin : { ...origin, raw },
  }
}

const noFindings: readonly Finding[] = []

/** With a seq it is a whole entry, without one something to publish. */
function isWhole(value: JsonValue): boolean {
  return isJsonObject(value) && value['seq'] !== undefined
}

/** The event union is closed, so this dialect is checked strictly. */
function check(checker: Checker, value: JsonValue): readonly Finding[] {
  if (!checker.isExact(value)) return checker.exactFindings(value)
  const { events } = value as unknown as { events: readonly JsonValue[] } // just checked
  return events.every(isEvent) ? [] : eventFindings(events)
}

function unknown(state: SluiceSequence, frame: Frame, findings: readonly Finding[]): Decoded<SluiceSequence> {
  return { state, events: [{ kind: 'unknown', type: 'entry', data: frame.value }], findings, exact: false }
}

function isNewer(value: JsonValue): boolean {
  return isJsonObject(value) && typeof value['v'] === 'number' && value['v'] > sluiceVersion
}
