import { unitsOf } from '../cursor.ts'
import type { Encoded, Encoder, EntryPart } from '../dialect.ts'
import type { Entry } from '../entry.ts'
import type { SluiceEvent } from '../events.ts'
import { type Draft, toFrames } from '../frames.ts'
import { tableSum } from '../table.ts'
import { rowBytes, weighText } from '../weigh.ts'
import { isWellFormedJson, stringifyWellFormed } from '../well-formed-json.ts'
import { encodeAppended } from './encode-appended.ts'
import { encodeData } from './encode-data.ts'
import { encodeEndOfSession, encodeMessage, encodeQuestion, encodeStatus } from './encode-status.ts'
import { encodeDelta, encodeEnd, encodePart, encodeReset } from './encode-text.ts'
import type { A2aFrame } from './model.ts'
import type { Moment } from './moment.ts'
import { rebuildFrame } from './rebuild.ts'
import { encodeStand, encodeStart } from './task.ts'
import { type A2aView, advanceView, createView, outputOf } from './view.ts'
import { type A2aWriter, isSound } from './writer.ts'

export function createA2aEncoder(writer: A2aWriter): Encoder<A2aView> {
  const { dialects } = writer
  const [id] = dialects
  const render = (frame: A2aFrame): { data: string } => ({
    data: stringifyWellFormed(writer.write(frame, { isOwn: false })),
  })
  return {
    enter(session, cursor) {
      const view = createView(session, dialects)
      if (!session.started) return { state: view, frames: [] }
      return { state: view, frames: [{ ...render(encodeStand(view, session, dialects)), cursor }] }
    },

    restore: (session) => createView(session, dialects),

    copying: ({ isCopy }) => (isCopy ? '' : undefined),

    weigh({ outputs, live, artifacts, questions }) {
      const texts = tableSum(outputs, ({ text }) => weighText(text)) + weighText(live?.text)
      return texts + (outputs.size + artifacts.size + questions.length) * rowBytes
    },

    step(view, entry, part): Encoded<A2aView> {
      // The rest of an entry has no raw, but the entry had: readers of all of it copy on.
      const isOwn = view.isCopy && entry.clean && entry.source.dialect === id
      const raw = isOwn ? entry.raw : undefined
      if (raw === undefined && part?.isInner !== true) {
        const encoded = encodeAppended(writer, view, entry)
        if (encoded !== undefined)
          return part === undefined ? encoded : placed(encoded, part, { isCopy: isOwn })
      }
      const whole = part === undefined ? (raw ?? rebuilt(writer, view, entry)) : undefined
      if (whole !== undefined) {
        let next = view
        for (const event of entry.events) next = advanceView(next, event, dialects)
        const state = withCopy(next, { isCopy: raw !== undefined })
        return { state, frames: [{ data: whole, cursor: { seq: entry.seq } }] }
      }
      const drafts: Draft<A2aFrame>[] = []
      let next = view
      let unit = part?.from ?? 0
      for (const [index, event] of entry.events.entries()) {
        const before = next
        next = advanceView(before, event, dialects)
        const moment = { before, view: next, place: { seq: entry.seq, unit }, at: entry.at, dialects }
        for (const draft of encodeEvent(moment, event))
          drafts.push({ ...draft, events: index + draft.events })
        unit += unitsOf(event)
      }
      const state = withCopy(next, { isCopy: isOwn && part !== undefined })
      return { state, frames: toFrames({ dialect: id, entry, part, drafts }, render) }
    },
  }
}

/** The frames at their places in the whole entry, of which only a part was encoded. */
function placed(
  { state, frames }: Encoded<A2aView>,
  { place }: EntryPart,
  copying: Copying,
): Encoded<A2aView> {
  return {
    state: withCopy(state, copying),
    frames: place === undefined ? frames : frames.map((each) => ({ ...each, cursor: place(each.cursor) })),
  }
}

type Copying = Pick<A2aView, 'isCopy'>

function withCopy(view: A2aView, { isCopy }: Copying): A2aView {
  return view.isCopy === isCopy ? view : { ...view, isCopy }
}

/** The frame that an entry was, if it broke no rule. */
function rebuilt(writer: A2aWriter, view: A2aView, entry: Entry): string | undefined {
  if (!isSound(entry, writer.dialects)) return undefined
  const known = rebuildFrame(view, entry.events, writer.dialects)
  if (known === undefined) return undefined
  const { type } = known.frame
  if (type === 'message' && view.isStarted && !writer.hasLooseMessages) return undefined
  // An earlier entry may have been too broken to send a task; then the frames of this entry start with the
  // task.
  if (!view.isStarted && (type === 'status-update' || type === 'artifact-update')) return undefined
  const value = writer.write(known.frame, known)
  // Kept data comes from the log, so it is checked like everything that Sluice sends.
  return writer.isValid(value) && isWellFormedJson(value) ? JSON.stringify(value) : undefined
}

/** The frames of one event. Their places count from this event. */
function encodeEvent(moment: Moment, event: SluiceEvent): readonly Draft<A2aFrame>[] {
  const { before, view, place } = moment
  switch (event.kind) {
    case 'session-start':
      return one(encodeStart(view, event, moment))
    case 'session-end':
      return one(encodeEndOfSession(moment, event))
    case 'text-delta':
      return encodeDelta(view, event)
    case 'text-reset': {
      // An implied take shows only with its first chunk, which replaces the text.
      const isShown = event.meta?.implied !== true || outputOf(before, event.output) === undefined
      return one(isShown ? encodeReset(view, event) : undefined)
    }
    case 'text-end':
      return one(encodeEnd(before, event))
    case 'part-add':
      return one(encodePart(moment, event))
    case 'message':
      return one(encodeMessage(moment, event))
    case 'question-open':
      return one(encodeQuestion(moment, event))
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
      return one(encodeStatus(moment, event))
  }
}

function one(value: A2aFrame | undefined): readonly Draft<A2aFrame>[] {
  return value === undefined ? [] : [{ value, events: 1 }]
}
