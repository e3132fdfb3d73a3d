import type { Encoded, Encoder } from './dialect.ts'
import type { Entry } from './entry.ts'
import type { SluiceEvent, TextDelta } from './events.ts'
import { type Draft, toFrames } from './frames.ts'
import type { SessionState } from './session-state.ts'
import { stringifyWellFormed } from './well-formed-json.ts'

export interface CopyingView {
  /** Every entry so far was a clean frame of this contract and went out as it came in. */
  readonly copy: boolean
}

/** What a contract whose clients join anywhere, and whose frames need no ids, adds to copying. */
export interface CopyingParts<E extends CopyingView, V> {
  readonly dialect: string
  toView(session: SessionState): E
  /** The view after an event whose frame was a copy. */
  advance(view: E, event: SluiceEvent): E
  /** The hot path: the frame of an entry that is one delta of another contract; undefined to take the long way. */
  encodeDelta(view: E, seq: number, delta: TextDelta): Encoded<E> | undefined
  /** Adds the frames of an entry to `drafts` and answers the view after it. */
  encodeEntry(view: E, entry: Entry, drafts: Draft<V>[]): E
}

/** An encoder that hands clean frames of its own contract on as they are, until the first entry that is none. */
export function createCopyingEncoder<E extends CopyingView, V>(parts: CopyingParts<E, V>): Encoder<E> {
  return {
    enter: (session) => ({ state: parts.toView(session), frames: [] }),

    step(state, entry, part) {
      const isOwn = entry.source.dialect === parts.dialect
      // What is left of an entry has no raw, but the entry had.
      const copy = state.copy && isOwn && entry.clean && (entry.raw !== undefined || part !== undefined)
      if (copy && entry.raw !== undefined && part === undefined) {
        const frames = [{ data: entry.raw, cursor: { seq: entry.seq } }]
        return { state: entry.events.reduce(parts.advance, state), frames }
      }
      const only = isOwn || part !== undefined || entry.events.length !== 1 ? undefined : entry.events[0]
      const encoded = only?.kind === 'text-delta' ? parts.encodeDelta(state, entry.seq, only) : undefined
      if (encoded !== undefined) return encoded
      const drafts: Draft<V>[] = []
      const view = parts.encodeEntry(copy === state.copy ? state : { ...state, copy }, entry, drafts)
      return { state: view, frames: toFrames(entry, drafts, part, render) }
    },
  }
}

function render(value: unknown): { readonly data: string } {
  return { data: stringifyWellFormed(value) }
}
