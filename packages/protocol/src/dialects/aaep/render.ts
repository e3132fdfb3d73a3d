import type { Cursor } from '../../cursor.ts'
import type { OutFrame } from '../../dialect.ts'
import type { Entry } from '../../entry.ts'
import { isJsonObject, type JsonObject, type JsonValue, unknownFields } from '../../json.ts'
import { stringifyWellFormed } from '../../well-formed-json.ts'
import type { FrameBody, FrameDraft } from './draft.ts'
import { localizationOf, toSummaries } from './encode-summaries.ts'
import { fieldsOf } from './fields.ts'
import { aaepId, isEventId } from './names.ts'
import { checkDefault } from './safe-default.ts'
import type { Speaker } from './sentences.ts'
import { declaresExtensions, isForbidden } from './sequence.ts'
import { coreContext, sluiceContext } from './wire/vocabulary.ts'
import { envelopeChecker, envelopeFieldNames } from './wire.ts'

/** Members that are undefined are not written. */
type Value = Record<string, JsonValue | undefined>

/** The frame as it came in. */
export function toCopy(entry: Entry, raw: string): OutFrame {
  const meta = entry.events[0]?.meta
  const kept = meta?.ext?.[aaepId]?.['event_id']
  const id = typeof kept === 'string' ? kept : meta?.id
  const cursor = { seq: entry.seq }
  return id === undefined ? { data: raw, cursor } : { data: raw, cursor, id }
}

/** Writes a frame; `speaker` is the one whose words the draft contains. */
export function renderDraft(
  draft: FrameDraft,
  cursor: Cursor,
  speaker: Speaker,
): { readonly data: string; readonly id: string } {
  const { meta } = draft
  const { core } = draft.body
  const ext = meta?.ext?.[aaepId]
  const id = eventIdOf(draft, ext, cursor)
  const carried = meta?.id === undefined || meta.id === id ? draft.carried : { ...draft.carried, id: meta.id }
  const value = toValue(draft, { id, carried }, speaker)
  if (ext === undefined) return { data: stringifyWellFormed(value), id }
  const known = core?.fields ?? envelopeFieldNames
  const checker = core?.checker ?? envelopeChecker
  const original = { body: draft.body, ext, carried }
  const whole = withKept(value, original)
  const isValid = checker.isExact(whole) && hasDeclared(whole) && checkDefault(whole) === undefined
  return { data: stringifyWellFormed(isValid ? whole : withKept(value, original, known)), id }
}

function eventIdOf(draft: FrameDraft, ext: JsonObject | undefined, cursor: Cursor): string {
  const own = draft.meta?.id
  if (own !== undefined && draft.isWhole) {
    const kept = ext?.['event_id']
    if (typeof kept === 'string' && isEventId(kept)) return kept
    if (isEventId(own)) return own
  }
  return draft.mint + spellCursor(cursor)
}

/** The dialect is clear in an event id, and the dots of a cursor are not allowed there. */
function spellCursor({ seq, units, empty, frames }: Cursor): string {
  if (units === undefined) return `c${seq}`
  const place = empty === undefined ? `c${seq}u${units}` : `c${seq}u${units}e${empty}`
  return frames === undefined ? place : `${place}f${frames}`
}

/** AAEP §3 recommends this order. */
function toValue(
  draft: FrameDraft,
  { id, carried }: { readonly id: string; readonly carried: JsonObject | undefined },
  speaker: Speaker,
): Value {
  const { meta, body, isNative } = draft
  const { core } = body
  const said = core?.hasSummaries === true ? toSummaries(draft) : undefined
  const value = {
    '@context': carried === undefined ? coreContext : [coreContext, sluiceContext],
    aaep_version: isNative ? undefined : '1.0.0',
    type: body.type,
    event_id: id,
    session_id: draft.session,
    timestamp: draft.timestamp,
    producer: draft.producer as JsonObject,
    urgency:
      core?.isCritical === true ? 'critical' : (meta?.urgency ?? (isNative ? undefined : body.urgency)),
    localization_hints: localizationOf(draft, said, speaker),
    correlation_id: meta?.trace,
    ...said?.fields,
    ...body.fields,
  }
  return carried === undefined ? value : { ...value, extensions: { sluice: carried } }
}

/** Fields that the model has in another form, and that a frame may still repeat as they were. */
const repeatable: ReadonlySet<string> = new Set([
  'reversibility',
  'coalesce_hint',
  'content_type',
  'language',
])

/** Whether a kept field may appear next to what the model says. */
function isKept(key: string, body: FrameBody): boolean {
  if (key === 'event_id' || key === 'sequence_number' || key === 'extensions' || key === '@context')
    return false
  if (isForbidden(key)) return key === 'aaep_version'
  if (key === 'irreversible') return body.core?.name === 'agent.awaiting.confirmation'
  return repeatable.has(key) || !fieldsOf(body.core?.name).mapped.has(key)
}

interface Original {
  readonly body: FrameBody
  /** The fields that the frame had and the model lacks. */
  readonly ext: JsonObject
  readonly carried: JsonObject | undefined
}

/** The frame with the fields of its AAEP original; if `known` is given, only with those outside it. */
function withKept(value: Value, { body, ext, carried }: Original, known?: ReadonlySet<string>): Value {
  const whole: Value = {}
  for (const key in value) if (value[key] !== undefined) whole[key] = value[key]
  for (const key in ext)
    if (whole[key] === undefined && isKept(key, body) && known?.has(key) !== true) whole[key] = ext[key]
  if (known !== undefined) return whole
  const { '@context': context = coreContext, extensions: kept } = ext
  const extensions = joined(kept, carried)
  if (extensions === undefined) {
    whole['@context'] = context
    return whole
  }
  whole['extensions'] = extensions
  const isDeclared =
    Array.isArray(context) &&
    (context.includes(sluiceContext) || (carried === undefined && context.length > 1))
  whole['@context'] =
    extensions['sluice'] === undefined || isDeclared
      ? context
      : [...(Array.isArray(context) ? context : [context]), sluiceContext]
  return whole
}

/** Carried data that the decoder rejected is not repeated. */
const unbelieved: ReadonlySet<string> = new Set(['event', 'eventJson', 'invented'])

/** The extensions that a frame had, merged with those of its event. */
function joined(kept: JsonValue | undefined, carried: JsonObject | undefined): JsonObject | undefined {
  if (!isJsonObject(kept)) return carried === undefined ? undefined : { sluice: carried }
  const { sluice, ...others } = kept
  if (!isJsonObject(sluice)) return carried === undefined ? kept : { ...others, sluice: carried }
  if (carried === undefined && Object.keys(sluice).length === 0) return kept
  const all: Value = unknownFields(sluice, unbelieved) ?? {}
  for (const key in carried) if (carried[key] !== undefined) all[key] = carried[key]
  if (Object.keys(all).length > 0) return { ...others, sluice: all }
  return Object.keys(others).length > 0 ? others : undefined
}

function hasDeclared(value: Value): boolean {
  const { '@context': context, extensions } = value
  return !isJsonObject(extensions) || declaresExtensions(context, extensions)
}
