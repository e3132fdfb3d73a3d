import type { Meta, Summaries, Urgency } from '../../events.ts'
import { breach, type Finding } from '../../finding.ts'
import { createRecord, isJsonObject, type JsonObject, type JsonValue } from '../../json.ts'
import { omitUndefined } from '../../omit-undefined.ts'
import type { SessionState } from '../../session-state.ts'
import type { Fields } from './fields.ts'
import { isMintedId } from './names.ts'
import { type SummaryTraits, sortSummaries } from './phrases/sort-summaries.ts'
import { guessAgent, isProducer, readAgent } from './producer.ts'
import { aaepRules } from './rules.ts'
import { declaresExtensions, isForbidden } from './sequence.ts'
import type { WireEnvelope } from './wire/envelope.ts'
import { coreContext, sluiceContext } from './wire/vocabulary.ts'

type Writable<T> = { -readonly [K in keyof T]: T[K] }
type Rest = Record<string, JsonValue | undefined>

/** A frame that fits its schema, while it is being decoded. */
export interface Reading {
  readonly session: SessionState
  readonly frame: JsonObject
  readonly findings: Finding[]
  /** The meta of the frame's first event; `finishReading` sets its `ext`. */
  readonly meta: Writable<Meta>
  /** Fields without a place in the model. */
  rest: Rest | undefined
  /** What remains of the extension `sluice`: a member that is read back is removed. */
  carried: Rest | undefined
}

const summaryPattern = /^summary_((?:terse|normal|detailed)_[A-Za-z]{1,8}(?:[-_][A-Za-z0-9]{1,8})*)$/

/** Reads what every event has; the reader of its type reads the remaining fields. */
export function startReading(value: JsonObject, fields: Fields, session: SessionState): Reading {
  const { mapped, known, hasSummaries, needsSummary: isNeeded } = fields
  const wire = value as unknown as WireEnvelope // the frame fits the envelope's schema
  const meta: Writable<Meta> = { id: wire.event_id, at: wire.timestamp }
  const reading: Reading = { session, frame: value, findings: [], meta, rest: undefined, carried: undefined }
  let summaries: Summaries | undefined
  let byLanguage: Record<string, string> | undefined
  for (const key in value) {
    if (mapped.has(key)) continue
    const member = value[key]
    const variant = hasSummaries && key.startsWith('summary_') ? summaryPattern.exec(key)?.[1] : undefined
    if (variant !== undefined && typeof member === 'string' && member !== '' && member.length <= 16_384) {
      byLanguage ??= createRecord<string>()
      byLanguage[variant] = member
      continue
    }
    if (!known.has(key) && isForbidden(key))
      reading.findings.push(breach(aaepRules.forbiddenField, `/${key}`))
    keepField(reading, key, member)
  }
  if (hasSummaries) summaries = readSummaries(reading, { isNeeded, hasVariants: byLanguage !== undefined })
  if (byLanguage !== undefined) summaries = { ...summaries, byLanguage }
  readContext(reading, value)
  meta.agent = readProducer(reading, wire)
  if (wire.urgency !== undefined) readUrgency(reading, wire.urgency)
  if (summaries !== undefined) meta.summaries = summaries
  if (wire.localization_hints !== undefined) meta.localization = wire.localization_hints as JsonObject
  if (wire.correlation_id !== undefined) meta.trace = wire.correlation_id
  if (reading.carried !== undefined) readCarriedMeta(reading, hasSummaries)
  return reading
}

/** Keeps a field if the model has no place for it, or not for its value. */
export function keepField(reading: Reading, key: string, value: JsonValue | undefined): void {
  // An object with a prototype is several times cheaper, and only one key is unsafe on it.
  reading.rest ??= key === '__proto__' ? createRecord<JsonValue | undefined>() : {}
  if (key === '__proto__')
    reading.rest = Object.assign(createRecord<JsonValue | undefined>(), reading.rest, {
      ['__proto__']: value,
    })
  else reading.rest[key] = value
}

/** Takes a member out of the extension `sluice` if `isRight` accepts it. */
export function takeCarried<T extends JsonValue>(
  reading: Reading,
  key: string,
  isRight: (value: JsonValue | undefined) => value is T,
): T | undefined {
  const value = reading.carried?.[key]
  if (reading.carried === undefined || value === undefined || !isRight(value)) return undefined
  delete reading.carried[key]
  return value
}

/**
 * Fields that the wire required and the event lacked. Accepted only if each of them holds what Sluice writes
 * there.
 */
export function takeInvented(
  reading: Reading,
  possible: Readonly<Record<string, () => boolean>>,
): readonly string[] {
  if (reading.carried?.['invented'] === undefined) return []
  const isList = (value: JsonValue | undefined): value is readonly string[] =>
    Array.isArray(value) &&
    value.length > 0 &&
    value.every((name) => isText(name) && Object.hasOwn(possible, name))
  const invented = takeCarried(reading, 'invented', isList)
  if (invented === undefined) return []
  if (invented.every((name) => possible[name]?.() === true)) return invented
  reading.carried['invented'] = invented
  reading.findings.push(breach(aaepRules.carriedContradicts, '/extensions/sluice/invented'))
  return []
}

export const isText = (value: JsonValue | undefined): value is string => typeof value === 'string'

/** Puts everything without a place in the model into the meta of the first event. */
export function finishReading(reading: Reading): void {
  const { carried } = reading
  if (carried !== undefined) {
    let isEmpty = true
    for (const _key in carried) isEmpty = false
    if (!isEmpty) {
      const extensions = reading.rest?.['extensions']
      keepField(reading, 'extensions', { ...(isJsonObject(extensions) ? extensions : {}), sluice: carried })
    }
  }
  if (reading.rest !== undefined) reading.meta.ext = { ...reading.meta.ext, aaep: reading.rest }
}

/** The meta of the other events of one frame. */
export function sharedMeta(meta: Meta): Meta {
  const { id, at, agent } = meta
  return omitUndefined({ id, at, agent })
}

/** The producer's own summaries. Those that Sluice wrote are kept outside the model. */
function readSummaries(reading: Reading, traits: SummaryTraits): Summaries | undefined {
  const { theirs, ours } = sortSummaries(reading.frame, traits)
  for (const { field, text } of ours) keepField(reading, field, text)
  return theirs
}

function readContext(reading: Reading, value: JsonObject): void {
  const { '@context': context, extensions } = value
  if (isJsonObject(extensions)) {
    let isEmpty = true
    let others: Rest | undefined
    for (const key in extensions) {
      isEmpty = false
      const member = extensions[key]
      if (key === 'sluice' && isJsonObject(member)) {
        reading.carried = Object.assign(createRecord<JsonValue | undefined>(), member)
        if (Object.keys(member).length > 0) continue
        reading.carried = undefined
      }
      others ??= createRecord<JsonValue | undefined>()
      others[key] = member
    }
    if (others !== undefined || isEmpty) keepField(reading, 'extensions', others ?? extensions)
    if (!declaresExtensions(context, extensions))
      reading.findings.push(breach(aaepRules.undeclaredExtension, '/@context'))
  }
  const isPlain = context === coreContext
  const isOurs =
    Array.isArray(context) &&
    context.length === 2 &&
    context[0] === coreContext &&
    context[1] === sluiceContext &&
    reading.carried !== undefined
  if (!isPlain && !isOurs) keepField(reading, '@context', context)
}

function readProducer(reading: Reading, wire: WireEnvelope): NonNullable<Meta['agent']> {
  const carried = readAgent(reading.carried?.['agent'])
  if (carried !== undefined && reading.carried !== undefined && isProducer(wire.producer, carried)) {
    delete reading.carried['agent']
    return carried
  }
  return guessAgent(wire.producer, reading.session.agent)
}

function readUrgency(reading: Reading, urgency: string): void {
  if (urgency === 'normal' || urgency === 'background' || urgency === 'critical')
    reading.meta.urgency = urgency satisfies Urgency
  else keepField(reading, 'urgency', urgency)
}

const summaryNames: readonly string[] = ['terse', 'normal', 'detailed', 'byLanguage']

function isSummaries(value: JsonValue | undefined): value is JsonObject {
  return (
    isJsonObject(value) &&
    Object.entries(value).every(([key, member]) =>
      key === 'byLanguage'
        ? isJsonObject(member) && Object.values(member).every((text) => isText(text))
        : summaryNames.includes(key) && isText(member),
    )
  )
}

/** The parts of meta that AAEP has no field for. */
function readCarriedMeta(reading: Reading, hasSummaries: boolean): void {
  const { meta } = reading
  const id = isMintedId(meta.id ?? '') ? takeCarried(reading, 'id', isText) : undefined
  if (id !== undefined) {
    keepField(reading, 'event_id', meta.id)
    meta.id = id
  }
  const parent = takeCarried(reading, 'parent', isText)
  if (parent !== undefined) meta.parent = parent
  const channel = takeCarried(reading, 'channel', isText)
  if (channel !== undefined) meta.channel = channel
  const summaries = hasSummaries ? undefined : takeCarried(reading, 'summaries', isSummaries)
  if (summaries !== undefined) meta.summaries = summaries as Summaries // every field was checked
  // identify() has already read these.
  const { foreign, context } = reading.session
  takeCarried(reading, 'session', (value): value is string => value !== undefined && value === foreign)
  takeCarried(reading, 'context', (value): value is string => value !== undefined && value === context)
}
