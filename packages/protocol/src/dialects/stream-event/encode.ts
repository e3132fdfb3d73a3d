import { type CopyingView, createCopyingEncoder } from '../../copying-encoder.ts'
import type { Encoded, Encoder } from '../../dialect.ts'
import type { Entry } from '../../entry.ts'
import type { SluiceEvent, TextDelta } from '../../events.ts'
import type { Draft } from '../../frames.ts'
import { type OpenCall, withoutCall } from '../../open-calls.ts'
import type { SessionState } from '../../session-state.ts'
import { tablePick } from '../../table.ts'
import { rowBytes, weighText } from '../../weigh.ts'
import { stringifyWellFormed } from '../../well-formed-json.ts'
import { addWhole, wholeText } from '../../window.ts'
import { encodeEvent, type OutValue } from './encode-event.ts'
import { findFinal, isUsualChunk, labelJson, toFinal } from './encode-text.ts'
import { dialectId, keptOf, noneKept } from './kept.ts'

/** What the frames of the next entry depend on, all derived from the session's state. */
export interface StreamEventView extends CopyingView {
  /** The open answers with their whole text, which is repeated when they end. */
  readonly texts: readonly OpenText[]
  readonly calls: readonly OpenCall[]
  /** The label of the last output: written once, because the next delta is usually of the same output. */
  readonly label?: { readonly output: string; readonly json: string }
}

interface OpenText {
  readonly output: string
  /** Undefined if it is too long to be repeated. */
  readonly text: string | undefined
}

/** No frame depends on an earlier one, so a client can join anywhere without further frames. */
export const streamEventEncoder: Encoder<StreamEventView> = createCopyingEncoder<StreamEventView, OutValue>({
  dialect: dialectId,
  toView,
  advance,
  encodeDelta: (view, seq, delta) => (isUsualChunk(delta) ? encodeChunk(view, seq, delta) : undefined),
  encodeEntry,
  weigh: ({ texts, calls }) => {
    let sum = calls.length * rowBytes
    for (const { text } of texts) sum += rowBytes + weighText(text)
    return sum
  },
})

/** The hot path: a piece of an answer of another dialect. Building its frame as text halves the cost. */
function encodeChunk(view: StreamEventView, seq: number, delta: TextDelta): Encoded<StreamEventView> {
  const { output, text } = delta
  const label = view.label?.output === output ? view.label : { output, json: labelJson(delta) }
  const data = `{"type":"answer_chunk","data":{"text":${stringifyWellFormed(text)}${label.json}}}`
  const texts = appendText(view.texts, output, text)
  return { state: { copy: false, texts, calls: view.calls, label }, frames: [{ data, cursor: { seq } }] }
}

function toView({ uniform, outputs, calls, open }: SessionState): StreamEventView {
  const answers = tablePick(outputs, open.outputs).filter(({ channel }) => channel === 'answer')
  const running = tablePick(calls, open.calls)
  return {
    copy: uniform === undefined || uniform === dialectId,
    texts: answers.map((answer) => ({ output: answer.output, text: wholeText(answer) })),
    calls: running.map(({ call, tool }) => ({ id: call, call, tool })),
  }
}

function encodeEntry(before: StreamEventView, entry: Entry, drafts: Draft<OutValue>[]): StreamEventView {
  const { events } = entry
  const isOwn = entry.source.dialect === dialectId
  let view = before
  for (let index = 0; index < events.length; ) {
    const event = events[index] as SluiceEvent // within its length
    const final = findFinal(view.texts, entry, index)
    if (final !== undefined) {
      drafts.push({ value: toFinal(final), events: final.next })
      for (; index < final.next; index++) view = advance(view, events[index] as SluiceEvent) // within its length
      continue
    }
    const kept = isOwn ? keptOf(event) : noneKept
    const value = encodeEvent({ calls: view.calls, isOwn, kept }, event)
    if (value !== undefined) drafts.push({ value, events: index + 1 })
    view = advance(view, event)
    index++
  }
  return view
}

function advance(view: StreamEventView, event: SluiceEvent): StreamEventView {
  if (event.kind === 'text-delta') {
    if (event.channel !== 'answer') return view
    const { copy, calls } = view
    return { copy, texts: appendText(view.texts, event.output, event.text), calls }
  }
  if (event.kind === 'text-reset' || event.kind === 'text-end') {
    const others = withoutText(view.texts, event.output)
    return event.kind === 'text-reset' && event.channel === 'answer'
      ? { ...view, texts: [...others, { output: event.output, text: '' }] }
      : { ...view, texts: others }
  }
  if (event.kind === 'tool-call') {
    const { call, tool } = event
    return { ...view, calls: [...view.calls, { id: call, call, tool }] }
  }
  return event.kind === 'tool-result' ? { ...view, calls: withoutCall(view.calls, event.call) } : view
}

function appendText(texts: readonly OpenText[], output: string, text: string): readonly OpenText[] {
  const only = texts.length === 1 ? texts[0] : undefined
  if (only?.output === output) return [{ output, text: addWhole(only.text, text) }]
  const known = texts.find((open) => open.output === output)
  if (known === undefined) return [...texts, { output, text: addWhole('', text) }]
  return texts.map((open) => (open === known ? { output, text: addWhole(open.text, text) } : open))
}

function withoutText(texts: readonly OpenText[], output: string): readonly OpenText[] {
  return texts.filter((open) => open.output !== output)
}
