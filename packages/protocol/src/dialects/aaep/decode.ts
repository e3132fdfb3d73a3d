import type { Decoded, Decoder, FrameIdentity } from '../../dialect.ts'
import type { EventKind, SluiceEvent } from '../../events.ts'
import { breach, type Finding } from '../../finding.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../../json.ts'
import type { SessionState } from '../../session-state.ts'
import { isWellFormedJson } from '../../well-formed-json.ts'
import { readCarriedEvent } from './carried-event.ts'
import { readInvoked, readProgress, readState, readToolCompleted } from './decode-activity.ts'
import { decodeChunk } from './decode-chunk.ts'
import { readOutput } from './decode-output.ts'
import { readClarification, readConfirmation, readHandoff } from './decode-question.ts'
import { decodeMessage } from './decode-reply.ts'
import { readCancelled, readCompleted, readErrored, readStarted } from './decode-session.ts'
import { extensionFields, fieldsOf } from './fields.ts'
import { isDerivedName } from './names.ts'
import { finishReading, isText, type Reading, sharedMeta, startReading } from './reading.ts'
import { aaepRules } from './rules.ts'
import { checkDefault } from './safe-default.ts'
import { type AaepSequence, type Before, checkEnd, checkNumber, isEarlier } from './sequence.ts'
import type { CoreEventName, WireEvent } from './wire/events.ts'
import { type CoreType, coreTypeOf, envelopeChecker, messageCheckerOf, toCompactType } from './wire.ts'

export function identify(value: JsonValue): FrameIdentity {
  if (!isJsonObject(value)) return {}
  const { session_id: session, event_id: id, extensions } = value
  const carried = isJsonObject(extensions) ? extensions['sluice'] : undefined
  const { session: foreign, context } = isJsonObject(carried) ? carried : {}
  return {
    ...(typeof session === 'string' ? { session } : {}),
    ...(typeof foreign === 'string' ? { foreign } : {}),
    ...(typeof context === 'string' ? { context } : {}),
    ...(typeof id === 'string' ? { id } : {}),
  }
}

export const aaepDecoder: Decoder<AaepSequence> = {
  initial: () => ({ unnamed: [], restored: [] }),

  step(state, frame, session) {
    const decoded = decode(state, frame.value, session)
    // A copy would pass on lone surrogates.
    const isBroken = decoded.exact && frame.text.includes('\\ud') && !isWellFormedJson(frame.value)
    return isBroken ? { ...decoded, exact: false } : decoded
  },
}

function decode(state: AaepSequence, value: JsonValue, session: SessionState): Decoded<AaepSequence> {
  if (!isJsonObject(value)) return toUnknown(state, value, { findings: envelopeChecker.findings(value) })
  const chunk = decodeChunk(state, value, session)
  if (chunk !== undefined) return chunk
  const { type } = value
  if (typeof type !== 'string') return toUnknown(state, value, { findings: envelopeChecker.findings(value) })
  const refused = value['default_decision'] === 'accept' ? checkDefault(value) : undefined
  if (refused !== undefined) return { state, refused, events: [], findings: [], exact: false }
  const before = { state, session }
  const core = coreTypeOf(type)
  if (core?.checker.isExact(value)) return decodeCore(before, core, { value, findings: none, isExact: true })
  const messageChecker = messageCheckerOf(type)
  if (messageChecker !== undefined) return decodeMessage(before, value, messageChecker)
  return decodeInexact(before, value, toCompactType(type))
}

const none: readonly Finding[] = []

/** A frame that fits the open form of its schema. */
interface FittingFrame {
  readonly value: JsonObject
  /** What was mended so that it fits. */
  readonly findings: readonly Finding[]
  readonly isExact: boolean
}

/** A frame that is not strictly valid, or not of a core type. */
function decodeInexact(before: Before, value: JsonObject, type: string): Decoded<AaepSequence> {
  const core = coreTypeOf(type)
  const mended = mend(value, type, core)
  const checker = core?.checker ?? envelopeChecker
  if (!checker.isExact(mended.value)) {
    const findings = checker.findings(mended.value)
    if (findings.length > 0) return toUnknown(before.state, value, { type, findings })
  }
  if (core !== undefined) return decodeCore(before, core, { ...mended, isExact: false })
  const isExact = envelopeChecker.isExact(value) && value['session_id'] === before.session.id
  return decodeExtension(before, type, { ...mended, isExact })
}

const loosePattern = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.(\d+))?(Z|[+-]\d\d:\d\d)$/

/** The frame as its producer surely meant it, with urgency and timestamp in the form that AAEP requires. */
function mend(value: JsonObject, type: string, core: CoreType | undefined): Omit<FittingFrame, 'isExact'> {
  const findings: Finding[] = []
  const mended: Record<string, JsonValue | undefined> = { ...value, type }
  const { urgency, timestamp } = value
  if (core?.isCritical === true && (urgency === undefined || typeof urgency === 'string')) {
    if (urgency !== undefined && urgency !== 'critical')
      findings.push(breach(aaepRules.urgencyNotCritical, '/urgency'))
    mended['urgency'] = 'critical'
  }
  const time = typeof timestamp === 'string' ? loosePattern.exec(timestamp.toUpperCase()) : null
  if (time !== null) {
    const [, seconds, fraction, zone] = time
    const digits = fraction?.length ?? 0
    if (digits !== 0 && digits !== 3 && digits !== 6)
      findings.push(breach(aaepRules.timestampPrecision, '/timestamp'))
    const written =
      fraction === undefined
        ? ''
        : `.${digits > 3 ? fraction.padEnd(6, '0').slice(0, 6) : fraction.padEnd(3, '0')}`
    mended['timestamp'] = `${seconds}${written}${zone}`
  }
  return { value: mended, findings }
}

function decodeCore(
  { state, session }: Before,
  core: CoreType,
  { value, findings, isExact }: FittingFrame,
): Decoded<AaepSequence> {
  const reading = startReading(value, fieldsOf(core.name), session)
  if (findings.length > 0) reading.findings.push(...findings)
  const next = checkEnvelope(state, reading)
  if (core.name === 'agent.session.started') {
    if (session.started) reading.findings.push(breach(aaepRules.startedTwice, ''))
  } else if (!session.started) reading.findings.push(breach(aaepRules.notStarted, ''))
  if (reading.carried?.['spoken'] !== undefined && isSpokenCopy(reading))
    return { state: next, events: [], findings: reading.findings, exact: false }
  const read = readEvent(reading, core.name, next)
  finishReading(reading)
  return {
    state: read.state,
    events: read.events,
    findings: reading.findings,
    // A frame with another session's id, or with a name that Sluice made, cannot go out unchanged.
    exact:
      isExact &&
      read.isExact !== false &&
      value['session_id'] === session.id &&
      !read.events.some(usesDerivedName),
  }
}

/**
 * The text of a message, repeated for clients that do not know messages: the message itself comes as an
 * extension event. Only an output that Sluice named is one.
 */
function isSpokenCopy({ carried, frame }: Reading): boolean {
  const { output_id: output, chunk } = frame
  return isText(carried?.['spoken']) && isText(chunk) && isText(output) && isDerivedName(output)
}

function usesDerivedName(event: SluiceEvent): boolean {
  if ('output' in event) return isDerivedName(event.output)
  if ('call' in event) return isDerivedName(event.call)
  return 'token' in event && isDerivedName(event.token)
}

interface Read {
  readonly events: readonly SluiceEvent[]
  readonly state: AaepSequence
  readonly isExact?: boolean
}

function readEvent(reading: Reading, name: CoreEventName, state: AaepSequence): Read {
  /** The frame fits the schema of this name, at least in its open form. */
  const wire = <N extends CoreEventName>(): WireEvent<N> => reading.frame as unknown as WireEvent<N>
  switch (name) {
    case 'agent.output.streaming': {
      const { events, restored, isExact } = readOutput(reading, wire<typeof name>(), state)
      return { events, state: restored === state.restored ? state : { ...state, restored }, isExact }
    }
    case 'agent.session.started':
      return { events: readStarted(reading, wire<typeof name>()), state }
    case 'agent.session.completed':
      checkEnd(reading.session, reading.findings)
      return { events: readCompleted(reading, wire<typeof name>()), state }
    case 'agent.session.errored':
      checkEnd(reading.session, reading.findings)
      return { events: readErrored(reading, wire<typeof name>()), state }
    case 'agent.session.cancelled':
      checkEnd(reading.session, reading.findings)
      return { events: readCancelled(reading, wire<typeof name>()), state }
    case 'agent.state.changed': {
      const { handsOff: _handsOff, ...rest } = state
      return { events: readState(reading, wire<typeof name>(), state), state: rest }
    }
    case 'agent.progress.updated':
      return { events: readProgress(reading, wire<typeof name>()), state }
    case 'agent.tool.invoked': {
      const { events, unnamed } = readInvoked(reading, wire<typeof name>(), state)
      return { events, state: { ...state, unnamed } }
    }
    case 'agent.tool.completed': {
      const { events, unnamed } = readToolCompleted(reading, wire<typeof name>(), state)
      return { events, state: { ...state, unnamed } }
    }
    case 'agent.awaiting.confirmation':
      return { events: readConfirmation(reading, wire<typeof name>()), state }
    case 'agent.awaiting.clarification':
      return { events: readClarification(reading, wire<typeof name>()), state }
    case 'agent.handoff.requested':
      return { events: readHandoff(reading, wire<typeof name>()), state: { ...state, handsOff: true } }
  }
}

/** Kinds without a core event; they travel as `sluice:<kind>`. */
const carriedKinds: readonly EventKind[] = [
  'message',
  'text-delta',
  'text-end',
  'text-reset',
  'part-add',
  'sources',
  'notice',
  'usage',
  'state-data',
  'unknown',
]

function decodeExtension(
  { state, session }: Before,
  type: string,
  { value, findings, isExact }: FittingFrame,
): Decoded<AaepSequence> {
  const reading = startReading(value, extensionFields, session)
  reading.findings.push(...findings)
  const next = checkEnvelope(state, reading)
  if (!session.started) reading.findings.push(breach(aaepRules.notStarted, ''))
  const kind = carriedKinds.find((name) => type === `sluice:${name}`)
  const carried = kind === undefined ? undefined : readCarriedEvent(reading, kind)
  if (carried === undefined) {
    const events: readonly SluiceEvent[] = [
      { kind: 'unknown', type, data: value, meta: sharedMeta(reading.meta) },
    ]
    return { state: next, events, findings: reading.findings, exact: isExact }
  }
  finishReading(reading)
  const events = [{ ...carried, meta: reading.meta }]
  return { state: next, events, findings: reading.findings, exact: isExact }
}

/** Checks the order of events by their timestamps and numbers (AAEP §3). */
function checkEnvelope(state: AaepSequence, reading: Reading): AaepSequence {
  const { timestamp, sequence_number: number } = reading.frame
  const at = String(timestamp)
  const isOlder = state.at !== undefined && isEarlier(at, state.at)
  if (isOlder) reading.findings.push(breach(aaepRules.timestampDecreases, '/timestamp'))
  const next = checkNumber(state.next, typeof number === 'number' ? number : undefined, reading.findings)
  // Written out because it runs for every event.
  const { unnamed, restored, handsOff } = state
  const last = isOlder ? (state.at ?? at) : at
  return handsOff === undefined
    ? { at: last, next, unnamed, restored }
    : { at: last, next, unnamed, restored, handsOff }
}

function toUnknown(
  state: AaepSequence,
  value: JsonValue,
  { type = '', findings }: { readonly type?: string; readonly findings: readonly Finding[] },
): Decoded<AaepSequence> {
  const number = isJsonObject(value) ? value['sequence_number'] : undefined
  // A frame that is broken elsewhere still counts.
  const isNumbered =
    typeof number === 'number' && Number.isSafeInteger(number) && number === (state.next ?? 0)
  return {
    state: isNumbered ? { ...state, next: number + 1 } : state,
    events: [{ kind: 'unknown', type, data: value }],
    findings,
    exact: false,
  }
}
