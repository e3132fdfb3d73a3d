import type { Entry } from '../../entry.ts'
import type { SluiceEvent, Sources, TextDelta, TextEnd } from '../../events.ts'
import type { JsonObject } from '../../json.ts'
import { omitUndefined } from '../../omit-undefined.ts'
import { stringifyWellFormed } from '../../well-formed-json.ts'
import { answerOutput, dialectId, type Kept, keptOf, reasoningOutput } from './kept.ts'
import type { Surroundings } from './surroundings.ts'

/** The frame of a piece of text; undefined if the text is empty and says nothing. */
export function encodeText({ isOwn, kept }: Surroundings, event: TextDelta): JsonObject | undefined {
  const { text, channel, position } = event
  if (isOwn && event.meta?.implied !== true) {
    const type = kept.type ?? (channel === 'answer' ? 'answer_chunk' : 'thinking')
    return {
      type,
      data: spell(kept, kept.type === undefined && channel === 'answer' ? 'text' : '', text),
      ...kept.fields,
    }
  }
  // An empty text matters only where a text begins: it keeps outputs and their takes in order.
  if (text === '' && position > 0) return undefined
  const sluice = labelOf(event)
  if (channel === 'answer')
    return { type: 'answer_chunk', data: sluice === undefined ? { text } : { text, sluice } }
  return { type: 'thinking', data: sluice === undefined ? text : { message: text, sluice } }
}

/** A piece of an answer that needs only its text and its output. */
export function isUsualChunk({ channel, text, contentType, language }: TextDelta): boolean {
  return channel === 'answer' && text !== '' && contentType === undefined && language === undefined
}

/** The label of a usual chunk, as the members that follow the text in its data. */
export function labelJson(delta: TextDelta): string {
  const sluice = labelOf(delta)
  return sluice === undefined ? '' : `,"sluice":${stringifyWellFormed(sluice)}`
}

/** What `data` does not say about a text: its output, if that is not the usual one, and its form. */
function labelOf({ output, channel, contentType, language }: TextDelta): JsonObject | undefined {
  const isUsual = output === (channel === 'answer' ? answerOutput : reasoningOutput)
  if (isUsual && contentType === undefined && language === undefined) return undefined
  return omitUndefined({ output: isUsual ? undefined : output, contentType, language })
}

/** A text in the field in which its frame had it. */
export function spell({ at, rest }: Kept, usual: string, text: string): JsonObject | string {
  const field = at ?? usual
  return field === '' ? text : { [field]: text, ...rest }
}

/** The events that one final answer stands for. */
export interface FinalEvents {
  readonly end: TextEnd
  readonly text: string
  readonly sources?: Sources
  /** They came in a frame of this dialect. */
  readonly isOwn: boolean
  /** The index after them. */
  readonly next: number
}

/**
 * Finds, at `start`, the end of an answer. In an entry of this dialect the text and its sources may come with
 * it: the final answer was then the frame that brought them.
 */
export function findFinal(
  texts: readonly { readonly output: string; readonly text: string | undefined }[],
  { source, events }: Entry,
  start: number,
): FinalEvents | undefined {
  const isOwn = source.dialect === dialectId
  let index = start
  let brought: TextDelta | undefined
  if (isOwn) {
    if (isSaid(events[index], 'text-reset')) index++
    const delta = events[index]
    if (
      delta?.kind === 'text-delta' &&
      isSaid(delta, 'text-delta') &&
      delta.position === 0 &&
      keptOf(delta).at === undefined
    ) {
      brought = delta
      index++
    }
    if (index > start && brought === undefined) return undefined
  }
  const end = events[index]
  if (end?.kind !== 'text-end' || !isSaid(end, 'text-end') || end.interrupted === true) return undefined
  // An end that a log carried goes out as it came in.
  if (keptOf(end).data !== undefined || (brought !== undefined && brought.output !== end.output))
    return undefined
  const text = brought?.text ?? texts.find((open) => open.output === end.output)?.text
  if (text === undefined) return undefined
  const after = events[index + 1]
  const isOfFinal = isOwn && after?.kind === 'sources' && after.meta === undefined
  return isOfFinal
    ? { end, text, sources: after, isOwn, next: index + 2 }
    : { end, text, isOwn, next: index + 1 }
}

function isSaid(event: SluiceEvent | undefined, kind: SluiceEvent['kind']): boolean {
  return event?.kind === kind && event.meta?.implied !== true
}

export function toFinal({ end, text, sources, isOwn }: FinalEvents): JsonObject {
  const kept: Kept = isOwn ? keptOf(end) : {}
  const label = isOwn || end.output === answerOutput ? undefined : { output: end.output }
  const more = omitUndefined({ provenance: sources?.items, sluice: label })
  const spelled = spell(kept, 'text', text)
  const data = typeof spelled === 'string' ? spelled : { ...spelled, ...more }
  return { type: kept.type ?? 'final_answer', data, ...kept.fields }
}
