import { type CopyingView, createCopyingEncoder } from '../../copying-encoder.ts'
import type { Encoded, Encoder } from '../../dialect.ts'
import type { Entry } from '../../entry.ts'
import type { SluiceEvent, TextDelta } from '../../events.ts'
import type { Draft } from '../../frames.ts'
import { type OpenCall, withoutCall } from '../../open-calls.ts'
import type { SessionState } from '../../session-state.ts'
import { tableValues } from '../../table.ts'
import { stringifyWellFormed } from '../../well-formed-json.ts'
import { encodeEvent, type OutValue } from './encode-event.ts'
import { findFinal, isUsualChunk, labelJson, toFinal } from './encode-text.ts'
import { dialectId } from './kept.ts'

/** What the frames of the next entry depend on; all of it follows from the session's state. */
export interface StreamEventView extends CopyingView {
  /** The open answers, whole: each is said once more when it ends. */
  readonly texts: readonly OpenText[]
  readonly calls: readonly OpenCall[]
  /** What the frames of the last output say of it: written once, as the next delta is mostly of the same. */
  readonly label?: { readonly output: string; readonly json: string }
}

interface OpenText {
  readonly output: string
  readonly text: string
}

/** No frame depends on one before it, so a client joins anywhere without more. */
export const streamEventEncoder: Encoder<StreamEventView> = createCopyingEncoder<StreamEventView, OutValue>({
  dialect: dialectId,
  toView,
  advance,
  encodeDelta: (view, seq, delta) => (isUsualChunk(delta) ? encodeChunk(view, seq, delta) : undefined),
  encodeEntry,
})

/** The hot path: a piece of an answer of another contract. Put together as text, its frame costs half. */
function encodeChunk(view: StreamEventView, seq: number, delta: TextDelta): Encoded<StreamEventView> {
  const { output, text } = delta
  const label = view.label?.output === output ? view.label : { output, json: labelJson(delta) }
  const data = `{"type":"answer_chunk","data":{"text":${stringifyWellFormed(text)}${label.json}}}`
  const texts = appendText(view.texts, output, text)
  return { state: { copy: false, texts, calls: view.calls, label }, frames: [{ data, cursor: { seq } }] }
}

function toView({ uniform, outputs, calls }: SessionState): StreamEventView {
  const open = tableValues(outputs).filter((output) => output.open && output.channel === 'answer')
  const running = tableValues(calls).filter((call) => call.status === undefined)
  return {
    copy: uniform === undefined || uniform === dialectId,
    texts: open.map(({ output, text }) => ({ output, text })),
    calls: running.map(({ call, tool }) => ({ id: call, call, tool })),
  }
}

function encodeEntry(before: StreamEventView, entry: Entry, drafts: Draft<OutValue>[]): StreamEventView {
  const { events } = entry
  const isOwn = entry.source.dialect === dialectId
  let view = before
  for (let index = 0; index < events.length; ) {
    const event = events[index] as SluiceEvent // within its length
    const final = findFinal(view.texts, events, index, isOwn)
    if (final !== undefined) {
      drafts.push({ value: toFinal(final, isOwn), events: final.next })
      for (; index < final.next; index++) view = advance(view, events[index] as SluiceEvent) // within its length
      continue
    }
    const value = encodeEvent(view, event, isOwn)
    if (value !== undefined) drafts.push({ value, events: index + 1 })
    view = advance(view, event)
    index++
  }
  return view
}

function advance(view: StreamEventView, event: SluiceEvent): StreamEventView {
  switch (event.kind) {
    case 'text-delta': {
      if (event.channel !== 'answer') return view
      const { copy, calls } = view
      return { copy, texts: appendText(view.texts, event.output, event.text), calls }
    }
    case 'text-reset': {
      const others = withoutText(view.texts, event.output)
      return {
        ...view,
        texts: event.channel === 'answer' ? [...others, { output: event.output, text: '' }] : others,
      }
    }
    case 'text-end':
      return { ...view, texts: withoutText(view.texts, event.output) }
    case 'tool-call':
      return { ...view, calls: [...view.calls, { id: event.call, call: event.call, tool: event.tool }] }
    case 'tool-result':
      return { ...view, calls: withoutCall(view.calls, event.call) }
    default:
      return view
  }
}

function appendText(texts: readonly OpenText[], output: string, text: string): readonly OpenText[] {
  const only = texts.length === 1 ? texts[0] : undefined
  if (only?.output === output) return [{ output, text: only.text + text }]
  const known = texts.find((open) => open.output === output)
  if (known === undefined) return [...texts, { output, text }]
  return texts.map((open) => (open === known ? { output, text: open.text + text } : open))
}

function withoutText(texts: readonly OpenText[], output: string): readonly OpenText[] {
  return texts.filter((open) => open.output !== output)
}
