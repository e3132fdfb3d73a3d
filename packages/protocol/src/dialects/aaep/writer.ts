import type { Entry } from '../../entry.ts'
import type { SluiceEvent } from '../../events.ts'
import { timeOf } from '../../fold.ts'
import type { Draft } from '../../frames.ts'
import type { FrameDraft } from './draft.ts'
import type { Speaker } from './sentences.ts'
import { type AaepView, withSpeaker } from './view.ts'

/** The outgoing frames of one entry, and the view after those already written. */
export interface Writer {
  readonly entry: Entry
  readonly speaker: Speaker
  view: AaepView
  /** Undefined if the frames go out as they came in. */
  readonly drafts: Draft<FrameDraft>[] | undefined
  /** The last time that was parsed: the events of an entry usually share one. */
  time?: { readonly written: string | undefined; readonly ms: number }
}

/** The view with the event's agent and time. */
export function heard(writer: Writer, event: SluiceEvent): AaepView {
  const written = event.meta?.at
  if (writer.time === undefined || writer.time.written !== written)
    writer.time = { written, ms: timeOf(event, writer.entry) }
  return withSpeaker(writer.view, event.meta?.agent, writer.time.ms)
}
