import type { Encoder, EntryPart, OutFrame } from '../../dialect.ts'
import type { Entry } from '../../entry.ts'
import type { Meta, SluiceEvent, Unknown } from '../../events.ts'
import { toFrames } from '../../frames.ts'
import { isJsonObject, type JsonObject, type JsonValue, unknownFields } from '../../json.ts'
import { omitUndefined } from '../../omit-undefined.ts'
import { rowBytes, weighText } from '../../weigh.ts'
import { carryEvent } from './bounds.ts'
import { type FrameBody, toDraft } from './draft.ts'
import { callBody, closeBody, resultBody, stateBody } from './encode-activity.ts'
import { encodeChunk } from './encode-chunk.ts'
import { progressBody } from './encode-progress.ts'
import { handoffBody, questionBody } from './encode-question.ts'
import { endBody, startBody } from './encode-session.ts'
import { isTextEvent, writeSpoken, writeText } from './encode-text-events.ts'
import { aaepId } from './names.ts'
import { englishPhrases } from './phrases/languages.ts'
import type { AaepPhrases } from './phrases/schema.ts'
import { renderDraft, toCopy } from './render.ts'
import { createSpeaker, type Speaker } from './sentences.ts'
import { type AaepView, afterEvent, enterView } from './view.ts'
import type { WireEnvelope } from './wire/envelope.ts'
import { coreTypeOf, envelopeChecker, messageCheckerOf, toCompactType } from './wire.ts'
import { heard, type Writer } from './writer.ts'

/** Writes AAEP, with the sentences of `phrases` where a producer gives no summary. */
export function createAaepEncoder(phrases: AaepPhrases): Encoder<AaepView> {
  const speaker = createSpeaker(phrases)
  return {
    // A subscriber of AAEP can join without further frames: every event names its session.
    enter: (session) => ({ state: enterView(session, aaepId), frames: [] }),
    step: createStep(speaker),
    // A frame may name its session by another id.
    copying: ({ isCopy, sessionJson }) => (isCopy ? sessionJson : undefined),
    weigh: ({ open, asked }) => {
      let sum = asked.length * rowBytes
      for (const { tail } of open) sum += rowBytes + weighText(tail)
      return sum
    },
  }
}

export const aaepEncoder: Encoder<AaepView> = createAaepEncoder(englishPhrases)

function createStep(speaker: Speaker): Encoder<AaepView>['step'] {
  return (view, entry, part) => {
    // The rest of an entry has no raw, but the entry had.
    const isOwn =
      entry.clean && entry.source.dialect === aaepId && (entry.raw !== undefined || part !== undefined)
    const isCopy = view.isCopy && isOwn
    const raw =
      isCopy && part === undefined && entry.raw?.includes(view.sessionJson) === true ? entry.raw : undefined
    const chunk = part === undefined ? encodeChunk(view, entry, { isCopy, raw }) : undefined
    if (chunk !== undefined) return chunk
    const writer: Writer = {
      entry,
      speaker,
      view: isCopy === view.isCopy ? view : { ...view, isCopy },
      drafts: raw === undefined ? [] : undefined,
    }
    for (let index = 0; index < entry.events.length; ) index = writeAt(writer, index)
    return {
      state: writer.view,
      frames: raw === undefined ? toOutFrames(writer, part) : [toCopy(entry, raw)],
    }
  }
}

function toOutFrames(
  { entry, speaker, drafts = [] }: Writer,
  part: EntryPart | undefined,
): readonly OutFrame[] {
  const only = part === undefined && drafts.length === 1 ? drafts[0] : undefined
  if (only !== undefined) only.value.isWhole = true
  return toFrames({ dialect: aaepId, entry, part, drafts }, (draft, cursor) =>
    renderDraft(draft, cursor, speaker),
  )
}

/** Writes the frame of the event at `index` and of the events that belong to it; returns the next index. */
function writeAt(writer: Writer, index: number): number {
  const event = writer.entry.events[index]
  if (event === undefined) return index + 1
  if (isTextEvent(event)) return writeText(writer, event, index)
  const { entry, view: before } = writer
  const view = heard(writer, event)
  if (writer.drafts !== undefined) {
    const native = toNativeUnknown(event, entry)
    const body =
      native === undefined ? toBody(writer, before, event) : { type: native.type, fields: {}, hasText: false }
    if (event.kind === 'message' && event.role === 'agent') writeSpoken(writer, event, index)
    if (body !== undefined) {
      const value = toDraft({ entry, before, view }, body, native ?? event)
      writer.drafts.push({ value, events: index + 1 })
    }
  }
  writer.view = afterEvent(view, event)
  return index + 1
}

/** The AAEP frame of an event; undefined if AAEP does not announce the event. */
function toBody({ entry, speaker }: Writer, view: AaepView, event: SluiceEvent): FrameBody | undefined {
  switch (event.kind) {
    case 'session-start':
      return startBody(view, event, speaker)
    case 'session-end':
      return endBody(event, speaker)
    case 'state-change':
      return stateBody(view, event, speaker)
    case 'progress':
      return progressBody(event, speaker)
    case 'tool-call':
      return callBody(view, event, speaker)
    case 'tool-call-delta':
      return undefined
    case 'tool-result':
      return resultBody(event, { speaker, isNative: entry.source.dialect === aaepId })
    case 'question-open':
      return questionBody(event, speaker)
    case 'question-close':
      // The end of a session closes its questions implicitly (AAEP §6).
      return event.meta?.implied === true ? undefined : closeBody(event, speaker)
    case 'handoff':
      return handoffBody(event, speaker)
    case 'message':
    case 'text-delta':
    case 'text-end':
    case 'text-reset':
    case 'part-add':
    case 'sources':
    case 'notice':
    case 'usage':
    case 'state-data':
    case 'unknown':
      return carriedBody(event)
  }
}

/** An event for which AAEP's core has no type. */
function carriedBody(event: SluiceEvent): FrameBody {
  const isUrgent = event.kind === 'notice' && (event.level === 'warning' || event.level === 'error')
  return {
    type: `sluice:${event.kind}`,
    fields: {},
    carried: carryEvent(event),
    urgency: isUrgent ? 'normal' : 'background',
    hasText: event.kind === 'notice' || event.kind === 'message',
  }
}

const rewritten: ReadonlySet<string> = new Set([
  'type',
  'event_id',
  'session_id',
  'timestamp',
  'producer',
  'urgency',
  'localization_hints',
  'correlation_id',
])

/** An extension's event that came in as AAEP goes out with all its fields. */
function toNativeUnknown(event: SluiceEvent, entry: Entry): Unknown | undefined {
  if (event.kind !== 'unknown' || entry.source.dialect !== aaepId || !isJsonObject(event.data))
    return undefined
  const { data, meta } = event
  const { type } = data
  if (!isExtensionType(type) || !envelopeChecker.isExact(data)) return undefined
  const { urgency, localization_hints, correlation_id } = data as unknown as WireEnvelope // just checked
  const kept = unknownFields(data, rewritten)
  const own: Meta = {
    ...meta,
    ...omitUndefined({
      urgency,
      localization: localization_hints === undefined ? undefined : (localization_hints as JsonObject),
      trace: correlation_id,
      ext: kept === undefined ? undefined : { [aaepId]: kept },
    }),
  }
  return { ...event, type, meta: own }
}

function isExtensionType(type: JsonValue | undefined): type is string {
  if (typeof type !== 'string') return false
  return coreTypeOf(toCompactType(type)) === undefined && messageCheckerOf(type) === undefined
}
