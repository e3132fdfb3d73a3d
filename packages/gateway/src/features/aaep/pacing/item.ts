import type { HeldEnd, Joined } from '../../../kernel/fan-out/held-text.ts'
import type { Rank } from './rank.ts'
import type { TextItem } from './text-item.ts'

/** A part of an entry that waits to be sent. Items are in the order of the log. */
export type Item = TextItem | EndItem | OtherItem

/** The end of a text. It is sent with the rest of its text. */
export interface EndItem {
  readonly type: 'end'
  readonly end: HeldEnd
  /** Encoded when all of its text was already sent. */
  readonly joined: Joined
}

/** Everything else. */
export interface OtherItem {
  readonly type: 'other'
  readonly joined: Joined
  readonly rank: Rank
  /** While it waits, a later item of the same group replaces it. */
  readonly merge: 'progress' | 'state' | undefined
  /** Leaving it out breaks no rule of order. */
  readonly isDroppable: boolean
  /** The length of the frame that it came in, if it is the last of that frame. */
  readonly characters: number
}

/** Converts the time of an entry. */
export type ToMonotonic = (at: number) => number

/** When the item's entry was stored, by the time of the session. */
export function timeOfItem(item: Item): number {
  return entryOf(item).at
}

export function seqOf(item: Item): number {
  return entryOf(item).seq
}

export function isCritical(item: Item): boolean {
  return item.type === 'other' && item.rank === 'critical'
}

function entryOf(item: Item): Joined['entry'] {
  if (item.type === 'text') return item.head.entry
  return item.type === 'end' ? item.end.entry : item.joined.entry
}
