import { unitsOf } from '../cursor.ts'
import type { Encoded, Encoder, EntryPart, OutFrame } from '../dialect.ts'
import type { Entry } from '../entry.ts'
import type { SluiceEvent } from '../events.ts'
import { type Draft, toFrames } from '../frames.ts'
import { isWellFormedJson, stringifyWellFormed } from '../well-formed-json.ts'
import { encodeAppended } from './encode-appended.ts'
import { encodeData } from './encode-data.ts'
import { encodeEndOfSession, encodeMessage, encodeQuestion, encodeStatus } from './encode-status.ts'
import { encodeDelta, encodeEnd, encodePart, encodeReset } from './encode-text.ts'
import type { A2aFrame } from './model.ts'
import { rebuildFrame } from './rebuild.ts'
import { encodeStand, encodeStart } from './task.ts'
import { type A2aView, advanceView, createView, outputOf } from './view.ts'
import { type A2aWriter, isSound } from './writer.ts'

export function createA2aEncoder(writer: A2aWriter): Encoder<A2aView> {
  const { dialects } = writer
  const [id] = dialects
  const render = (frame: A2aFrame): { data: string } => ({
    data: stringifyWellFormed(writer.write(frame, false)),
  })
  return {
    enter(session, cursor) {
      const view = createView(session, dialects)
      if (!session.started) return { state: view, frames: [] }
      return { state: view, frames: [{ ...render(encodeStand(view, session, dialects)), cursor }] }
    },

    step(view, entry, part): Encoded<A2aView> {
      // The rest of an entry has no raw, but the entry had: readers of all of it copy on.
      const isOwn = view.isCopy && entry.clean && entry.source.dialect === id
      const isCopied = isOwn && entry.raw !== undefined
      const [only] = entry.events
      if (!isCopied && part?.isInner !== true && entry.events.length === 1 && only?.kind === 'text-delta') {
        const encoded = encodeAppended(view, only, entry, writer)
        if (encoded !== undefined) return part === undefined ? encoded : placed(encoded, part, isOwn)
      }
      const whole = part !== undefined ? undefined : wholeFrame(writer, view, entry, isCopied)
      if (whole !== undefined) {
        let next = view
        for (const event of entry.events) next = advanceView(next, event, dialects)
        return { state: withCopy(next, isCopied), frames: [whole] }
      }
      const drafts: Draft<A2aFrame>[] = []
      let next = view
      let unit = part?.from ?? 0
      for (const [index, event] of entry.events.entries()) {
        const before = next
        next = advanceView(before, event, dialects)
        drafts.push(...encodeEvent(before, next, event, entry, index, unit, dialects))
        unit += unitsOf(event)
      }
      const state = withCopy(next, isOwn && part !== undefined)
      return { state, frames: toFrames({ dialect: id, entry, part, drafts }, render) }
    },
  }
}

/** The frames at their places in the whole entry, of which only a part was encoded. */
function placed({ state, frames }: Encoded<A2aView>, part: EntryPart, isCopy: boolean): Encoded<A2aView> {
  const { place } = part
  return {
    state: withCopy(state, isCopy),
    frames: place === undefined ? frames : frames.map((each) => ({ ...each, cursor: place(each.cursor) })),
  }
}

function withCopy(view: A2aView, isCopy: boolean): A2aView {
  return view.isCopy === isCopy ? view : { ...view, isCopy }
}

/** The frame that an entry was, as received, or rebuilt if it broke no rule. */
function wholeFrame(writer: A2aWriter, view: A2aView, entry: Entry, isCopied: boolean): OutFrame | undefined {
  const cursor = { seq: entry.seq }
  if (isCopied && entry.raw !== undefined) return { data: entry.raw, cursor }
  if (!isSound(entry, writer.dialects)) return undefined
  const rebuilt = rebuildFrame(view, entry.events, writer.dialects)
  if (rebuilt === undefined) return undefined
  const { type } = rebuilt.frame
  if (type === 'message' && view.isStarted && !writer.hasLooseMessages) return undefined
  // An earlier entry may have been too broken to send a task; then the frames of this entry start with the
  // task.
  if (!view.isStarted && (type === 'status-update' || type === 'artifact-update')) return undefined
  const value = writer.write(rebuilt.frame, rebuilt.isOwn)
  // Kept data comes from the log, so it is checked like everything that Sluice sends.
  return writer.isValid(value) && isWellFormedJson(value)
    ? { data: JSON.stringify(value), cursor }
    : undefined
}

function encodeEvent(
  before: A2aView,
  view: A2aView,
  event: SluiceEvent,
  entry: Entry,
  index: number,
  unit: number,
  dialects: readonly string[],
): readonly Draft<A2aFrame>[] {
  const place = { seq: entry.seq, unit }
  const one = (value: A2aFrame): readonly Draft<A2aFrame>[] => [{ value, events: index + 1 }]
  switch (event.kind) {
    case 'session-start':
      return one(encodeStart(view, event, entry))
    case 'session-end':
      return one(encodeEndOfSession(view, event, entry, place))
    case 'text-delta':
      return encodeDelta(view, event, index)
    case 'text-reset': {
      // An implied take shows only with its first chunk, which replaces the text.
      const isShown = event.meta?.implied !== true || outputOf(before, event.output) === undefined
      const reset = isShown ? encodeReset(view, event) : undefined
      return reset === undefined ? [] : one(reset)
    }
    case 'text-end': {
      const end = encodeEnd(before, event)
      return end === undefined ? [] : one(end)
    }
    case 'part-add': {
      const output = outputOf(view, event.output)
      if (output === undefined) return []
      return one(encodePart(view, outputOf(before, event.output), output, event, dialects))
    }
    case 'message':
      return one(encodeMessage(view, event, entry, place, dialects))
    case 'question-open':
      return one(encodeQuestion(view, event, entry, place))
    case 'tool-call':
    case 'tool-call-delta':
    case 'tool-result':
    case 'sources':
    case 'state-data':
    case 'unknown':
      return one(encodeData(before, event, place))
    case 'state-change':
    case 'progress':
    case 'question-close':
    case 'handoff':
    case 'notice':
    case 'usage':
      return one(encodeStatus(view, event, entry, place))
  }
}
