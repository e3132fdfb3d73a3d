import type { Decoded, Decoder, Frame, FrameIdentity } from '../../dialect.ts'
import type { SluiceEvent } from '../../events.ts'
import { breach, type Finding } from '../../finding.ts'
import { isJsonObject, type JsonValue } from '../../json.ts'
import { createChecker } from '../../schemas/check.ts'
import type { SessionState } from '../../session-state.ts'
import { checkHead, checkSettled, type SluiceSequence, sluiceRules } from './sequence.ts'
import { entrySchema, publishedSchema, sluiceVersion, type WireEntry } from './wire.ts'

export const entryChecker = createChecker(entrySchema, 'protocol.md, The entry')
const publishedChecker = createChecker(publishedSchema, 'protocol.md, Publishing')

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
    if (entryChecker.isExact(value)) return decodeEntry(state, value as unknown as WireEntry, session) // just checked
    // With a seq it is meant as a whole entry, without one as something to publish.
    const isWhole = isJsonObject(value) && value['seq'] !== undefined
    // The event union is closed, so this contract is read to the letter.
    const findings = (isWhole ? entryChecker : publishedChecker).exactFindings(value)
    if (findings.length > 0) return unknown(state, frame, findings)
    const events = (value as unknown as { events: readonly SluiceEvent[] }).events // fits publishedSchema
    return { state, events, findings: [], exact: true }
  },
}

function decodeEntry(
  state: SluiceSequence,
  entry: WireEntry,
  session: SessionState,
): Decoded<SluiceSequence> {
  const events = entry.events as readonly SluiceEvent[] // each fits the schema of its kind
  const { source, at, clean, raw, direction, diagnostics } = entry
  return {
    state: { next: entry.seq + 1, at },
    events,
    findings: [...checkHead(state, entry), ...checkSettled(session, events)],
    exact: true,
    direction,
    origin: { source, at, clean, findings: diagnostics, ...(raw === undefined ? {} : { raw }) },
  }
}

function unknown(state: SluiceSequence, frame: Frame, findings: readonly Finding[]): Decoded<SluiceSequence> {
  return { state, events: [{ kind: 'unknown', type: 'entry', data: frame.value }], findings, exact: false }
}

function isNewer(value: JsonValue): boolean {
  return isJsonObject(value) && typeof value['v'] === 'number' && value['v'] > sluiceVersion
}
