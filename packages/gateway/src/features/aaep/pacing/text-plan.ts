import { type Held, type Joined, toJoined } from '../../../kernel/fan-out/held-text.ts'
import type { Terms, TextBoundary } from '../terms.ts'
import { type EndItem, type Item, type ToMonotonic, timeOfItem } from './item.ts'
import { edgeUnits, finestOf, type TextCutter } from './text-cutter.ts'
import type { TextItem } from './text-item.ts'

/** What to do with the text at the front: send some of it, or wait. */
export type TextPlan =
  | {
      readonly type: 'leave'
      /** UTF-16 units. */
      readonly characters: number
      readonly hint: TextBoundary
      /** The end of the text, if it is sent along. */
      readonly end?: EndItem
    }
  | { readonly type: 'wait'; readonly until: number }

export interface TextSituation {
  /** The text at the front. */
  readonly item: TextItem
  /** The end of the text that was already sent of the same output. */
  readonly before: string
  /** The item after the text. */
  readonly next: Item | undefined
  readonly terms: Terms
  readonly cutter: TextCutter
  readonly now: number
  readonly toMonotonic: ToMonotonic
  /** A critical event follows, so nothing waits. */
  readonly isForced: boolean
  /** More entries will be added soon. */
  readonly hasMore: boolean
}

/** How long an item waits for the text before it. */
const behindMs = 2000
/** The most text in one chunk. */
export const maxCharacters = 16_000

/** How much text is held, and how long, while no boundary comes: more for coarser boundaries. */
function boundsOf(finest: TextBoundary): { readonly characters: number; readonly waitMs: number } {
  if (finest === 'paragraph') return { characters: 4000, waitMs: 20_000 }
  if (finest === 'completion') return { characters: maxCharacters, waitMs: Number.POSITIVE_INFINITY }
  return { characters: 400, waitMs: 4000 }
}

export function planText(situation: TextSituation): TextPlan {
  const { item, before, next, terms, cutter, now, toMonotonic, isForced, hasMore } = situation
  const { boundaries } = terms
  const { text, language } = item
  const held = { before, text, language }
  const finest = finestOf(boundaries)
  const bounds = boundsOf(finest)
  const isAny = finest === 'none'
  const most = isAny || terms.maxEventsPerSecond !== undefined ? maxCharacters : bounds.characters
  // A long text is cut as if it had arrived in small pieces.
  if (!isForced && text.length > most) {
    // Examining all of it for every chunk would take quadratic time.
    const near = { before, text: text.slice(0, most + edgeUnits), language }
    const cut = isAny ? undefined : cutter.atBoundary(near, boundaries, most)
    if (cut !== undefined && cut.characters > 0) return { type: 'leave', ...cut }
    return { type: 'leave', ...cutter.atWord(near, boundaries, most) }
  }
  if (next?.type === 'end' && isEndOf(next, item))
    return { type: 'leave', characters: text.length, hint: 'completion', end: next }
  const behindUntil = patienceOf(next, toMonotonic)
  // Text of another output cannot be sent before this one.
  if (isForced || next?.type === 'text' || now >= behindUntil)
    return { type: 'leave', ...cutter.atEnd(held, boundaries) }
  if (cutter.mayEnd(before, item.fresh, boundaries)) {
    const cut = cutter.atBoundary(held, boundaries, most)
    // White space alone is not sent: it goes with the text after it.
    if (isAny || text.slice(0, cut.characters).trim() !== '') return { type: 'leave', ...cut }
  }
  const since = toMonotonic(timeOfItem(item))
  const { waitMs } = bounds
  const isLong = text.length >= bounds.characters
  if (hasMore && !isLong && next === undefined) return { type: 'wait', until: Number.POSITIVE_INFINITY }
  // A word that may be incomplete waits twice as long.
  if (!isLong && now >= since + 2 * waitMs) return { type: 'leave', ...cutter.atEnd(held, boundaries) }
  if (isLong || now >= since + waitMs) {
    const word = cutter.atWord(held, boundaries, most)
    if (isLong || word.characters < text.length || word.hint !== 'none') return { type: 'leave', ...word }
  }
  const lookAt = now >= since + waitMs ? since + 2 * waitMs : since + waitMs
  return { type: 'wait', until: Math.min(behindUntil, lookAt) }
}

/** Until when an item waits for the text before it, in monotonic ms. */
export function patienceOf(item: Item | undefined, toMonotonic: ToMonotonic): number {
  return item === undefined ? Number.POSITIVE_INFINITY : toMonotonic(timeOfItem(item)) + behindMs
}

export function isEndOf({ end: { event } }: EndItem, { head: { delta } }: TextItem): boolean {
  return event.output === delta.output && event.take === delta.take
}

/**
 * The pieces of a text as they are encoded. A single piece that was a whole frame stays one, and keeps its
 * id.
 */
export function joinText(pieces: Held['pieces'], hint: TextBoundary, end: EndItem | undefined): Joined {
  const [piece, ...others] = pieces
  const { entry, delta } = piece
  const isWhole =
    others.length === 0 &&
    piece.text === delta.text &&
    entry.events[0] === delta &&
    entry.events.length === (end === undefined ? 1 : 2) &&
    (end === undefined || end.end.entry === entry)
  if (!isWhole) return toJoined({ pieces }, end === undefined ? { hint } : { hint, end: end.end })
  return {
    entry: { ...entry, events: [{ ...delta, hint }, ...entry.events.slice(1)] },
    part: undefined,
  }
}
