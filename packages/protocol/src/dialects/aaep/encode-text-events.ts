import type { Message, SluiceEvent, TextChannel, TextDelta, TextEnd, TextReset } from '../../events.ts'
import type { Draft } from '../../frames.ts'
import { omitUndefined } from '../../omit-undefined.ts'
import { carryEvent } from './bounds.ts'
import { type FrameBody, toDraft } from './draft.ts'
import { thinkingBody } from './encode-activity.ts'
import { type Chunk, chunkBody, toChunks } from './encode-text.ts'
import { aaepId } from './names.ts'
import { sharedMeta } from './reading.ts'
import { type AaepView, extended, opened, openOutputOf, withOpen, withoutOpen } from './view.ts'
import { heard, type Writer } from './writer.ts'

type TextEvent = TextDelta | TextEnd | TextReset

export function isTextEvent(event: SluiceEvent): event is TextEvent {
  return event.kind === 'text-delta' || event.kind === 'text-end' || event.kind === 'text-reset'
}

/** Writes the adjacent events of one text; returns the index after them. */
export function writeText(writer: Writer, event: TextEvent, index: number): number {
  return channelOf(writer.view, event) === 'answer'
    ? writeAnswer(writer, event, index)
    : writeReasoning(writer, event, index)
}

function channelOf(view: AaepView, event: TextEvent): TextChannel {
  return event.kind === 'text-end' ? (openOutputOf(view, event.output)?.channel ?? 'answer') : event.channel
}

const emptyChunk: Chunk = { text: '', start: 0, end: 0, isLast: true }

/** The start of a take, its first text and its end are one frame. */
function writeAnswer(writer: Writer, first: TextEvent, index: number): number {
  const { events } = writer.entry
  const { output } = first
  let next = index
  const reset = first.kind === 'text-reset' ? first : undefined
  if (reset !== undefined) next++
  const delta = deltaAt(events, next, output)
  const deltaIndex = next
  if (delta !== undefined) next++
  const end = endAt(events, next, output)
  if (end !== undefined) next++
  let open =
    reset === undefined
      ? (openOutputOf(writer.view, output) ?? opened(output, first.take, 'answer'))
      : opened(output, reset.take, 'answer')
  for (const chunk of delta === undefined ? [emptyChunk] : toChunks(delta.text)) {
    const isFirst = chunk.start === 0
    const lead = leadOf(isFirst ? reset : undefined, delta, end) ?? first
    const isNative = writer.entry.source.dialect === aaepId && lead.meta?.implied !== true
    const isComplete = chunk.isLast && end !== undefined
    const isInterrupted = isComplete && end.interrupted === true
    const value = chunkBody(open, chunk, { delta, isComplete, isInterrupted, isNative })
    const reach = chunk.isLast ? { events: next } : { events: deltaIndex, points: chunk.end }
    push(writer, lead, { value, ...reach })
    open = extended(open, chunk.text)
    if (isFirst && reset !== undefined) hear(writer, reset)
    if (isFirst && delta !== undefined) hear(writer, delta)
  }
  if (end !== undefined) hear(writer, end)
  writer.view = end === undefined ? withOpen(writer.view, open) : withoutOpen(writer.view, output)
  return next
}

/** Reasoning is not output: AAEP gets the state, and our own extension carries the text. */
function writeReasoning(writer: Writer, event: TextEvent, index: number): number {
  const { output, take } = event
  if (event.kind === 'text-end') {
    push(writer, event, { value: carriedText(event), events: index + 1 })
    hear(writer, event)
    writer.view = withoutOpen(writer.view, output)
    return index + 1
  }
  const known = openOutputOf(writer.view, output)
  if (event.kind === 'text-reset') {
    push(writer, event, { value: carriedText(event), events: index + 1 })
    hear(writer, event)
    writer.view = withOpen(writer.view, opened(output, take, 'reasoning'))
    return index + 1
  }
  if (known === undefined && take === 0) {
    if (writer.view.status !== 'thinking') {
      const meta = sharedMeta(event.meta ?? {})
      const value = thinkingBody(writer.view, writer.speaker)
      push(writer, { kind: 'state-change', to: 'thinking', meta }, { value, events: index, isPart: true })
      hear(writer, event)
    }
    writer.view = { ...writer.view, status: 'thinking' }
  }
  let open = known ?? opened(output, take, 'reasoning')
  const { held: _held, joins: _joins, hint, ...delta } = event
  for (const chunk of toChunks(event.text)) {
    const part: TextDelta = {
      ...delta,
      ...omitUndefined({ hint: chunk.isLast ? hint : undefined }),
      text: chunk.text,
      position: open.length,
    }
    const reach = chunk.isLast ? { events: index + 1 } : { events: index, points: chunk.end }
    push(writer, event, { value: carriedText(part), ...reach })
    hear(writer, event)
    open = extended(open, chunk.text)
  }
  writer.view = withOpen(writer.view, open)
  return index + 1
}

/** The text of a message as a separate output, for clients that do not know messages. */
export function writeSpoken(writer: Writer, message: Message, index: number): void {
  const text = message.parts
    .flatMap((part) => (part.type === 'text' ? [part.text] : []))
    .join('\n\n')
    .toWellFormed()
  if (text === '') return
  const meta = sharedMeta(message.meta ?? {})
  let open = opened(`message ${writer.entry.seq} ${message.id}`, 0, 'answer')
  for (const chunk of toChunks(text)) {
    const said = { isComplete: chunk.isLast, isInterrupted: false, isNative: false }
    const value: FrameBody = { ...chunkBody(open, chunk, said), carried: { spoken: message.id } }
    push(writer, { ...message, meta }, { value, events: index, isPart: true })
    hear(writer, message)
    open = extended(open, chunk.text)
  }
}

function carriedText(event: TextEvent): FrameBody {
  const language = event.kind === 'text-delta' ? event.language : undefined
  return omitUndefined({
    type: `sluice:${event.kind}`,
    fields: {},
    carried: carryEvent(event),
    urgency: 'background',
    hasText: event.kind === 'text-delta' && event.text !== '',
    language,
  })
}

function push(writer: Writer, event: SluiceEvent, draft: Draft<FrameBody>): void {
  const { entry, view: before, drafts } = writer
  if (drafts === undefined) return
  const view = heard(writer, event)
  drafts.push({ ...draft, value: toDraft({ entry, before, view }, draft.value, event) })
}

function hear(writer: Writer, event: SluiceEvent): void {
  writer.view = heard(writer, event)
}

/** The event whose meta the frame takes: the first that is not implied. */
function leadOf(
  reset: TextReset | undefined,
  delta: TextDelta | undefined,
  end: TextEnd | undefined,
): TextEvent | undefined {
  if (reset !== undefined && reset.meta?.implied !== true) return reset
  if (delta !== undefined && delta.meta?.implied !== true) return delta
  if (end !== undefined && end.meta?.implied !== true) return end
  return reset ?? delta ?? end
}

function deltaAt(events: readonly SluiceEvent[], index: number, output: string): TextDelta | undefined {
  const event = events[index]
  return event?.kind === 'text-delta' && event.output === output ? event : undefined
}

function endAt(events: readonly SluiceEvent[], index: number, output: string): TextEnd | undefined {
  const event = events[index]
  return event?.kind === 'text-end' && event.output === output ? event : undefined
}
