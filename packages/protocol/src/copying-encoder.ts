import type { Encoded, Encoder } from './dialect.ts'
import type { Entry } from './entry.ts'
import type { SluiceEvent, TextDelta } from './events.ts'
import { type Draft, toFrames } from './frames.ts'
import { omitUndefined } from './omit-undefined.ts'
import type { SessionState } from './session-state.ts'
import { stringifyWellFormed } from './well-formed-json.ts'

export interface CopyingView {
  /** Every entry so far was a clean frame of this dialect and went out as it came in. */
  readonly copy: boolean
}

/** What a dialect provides for copying, if its clients can join anywhere and its frames need no ids. */
export interface CopyingParts<E extends CopyingView, V> {
  readonly dialect: string
  toView(session: SessionState): E
  /** The view after an event whose frame was a copy. */
  advance(view: E, event: SluiceEvent): E
  /** The hot path: encodes an entry that is one delta of another dialect; undefined means the slow path. */
  encodeDelta(view: E, seq: number, delta: TextDelta): Encoded<E> | undefined
  /** Adds the frames of an entry to `drafts` and returns the view after it. */
  encodeEntry(view: E, entry: Entry, drafts: Draft<V>[]): E
  /** See `Encoder`. */
  weigh?(view: E): number
}

/**
 * An encoder that passes on clean frames of its own dialect unchanged, until the first entry that is not one.
 */
export function createCopyingEncoder<E extends CopyingView, V>(parts: CopyingParts<E, V>): Encoder<E> {
  return {
    enter: (session) => ({ state: parts.toView(session), frames: [] }),
    copying: ({ copy }) => (copy ? '' : undefined),
    ...omitUndefined({ weigh: parts.weigh }),

    step(state, entry, part) {
      const isOwn = entry.source.dialect === parts.dialect
      // The rest of an entry has no raw, but the entry had.
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
      return { state: view, frames: toFrames({ dialect: parts.dialect, entry, part, drafts }, render) }
    },
  }
}

function render(value: unknown): { readonly data: string } {
  return { data: stringifyWellFormed(value) }
}
