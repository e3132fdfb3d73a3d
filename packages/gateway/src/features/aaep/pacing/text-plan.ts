import { toJoined } from '../../../kernel/fan-out/held-text.ts'
import type { Terms, TextBoundary } from '../terms.ts'
import { type EndItem, type Item, type TextItem, timeOfItem } from './item.ts'
import { edgeUnits, finestOf, type TextCutter } from './text-cutter.ts'

/** What is to become of text at the front: so much of it leaves, or it waits. */
export type TextPlan =
  | {
      readonly type: 'leave'
      /** UTF-16 units. */
      readonly characters: number
      readonly hint: TextBoundary
      /** It leaves with the end of its text. */
      readonly end?: EndItem
    }
  | { readonly type: 'wait'; readonly until: number }

/** How long an event waits behind text. */
const behindMs = 2000
/** As much as one chunk takes. */
export const maxCharacters = 16_000

/** How much text is held, and for how long, while no boundary comes: who asks for more at once has more patience. */
function boundsOf(finest: TextBoundary): { readonly characters: number; readonly waitMs: number } {
  if (finest === 'paragraph') return { characters: 4000, waitMs: 20_000 }
  if (finest === 'completion') return { characters: maxCharacters, waitMs: Number.POSITIVE_INFINITY }
  return { characters: 400, waitMs: 4000 }
}

/** Looks at text at the front, at what of it left `before`, at what stands behind it, and at the time. */
export function planText(
  item: TextItem,
  before: string,
  next: Item | undefined,
  { terms, cutter }: { readonly terms: Terms; readonly cutter: TextCutter },
  now: number,
  isForced: boolean,
  hasMore: boolean,
): TextPlan {
  const { boundaries } = terms
  const { text, language } = item
  const held = { before, text, language }
  const finest = finestOf(boundaries)
  const bounds = boundsOf(finest)
  const isAny = finest === 'none'
  const most = isAny || terms.maxEventsPerSecond !== undefined ? maxCharacters : bounds.characters
  // What is much at once is cut as if it had come bit by bit.
  if (!isForced && text.length > most) {
    // To look at all of it each time would be quadratic.
    const near = { before, text: text.slice(0, most + edgeUnits), language }
    const cut = isAny ? undefined : cutter.atBoundary(near, boundaries, most)
    if (cut !== undefined && cut.characters > 0) return { type: 'leave', ...cut }
    return { type: 'leave', ...cutter.atWord(near, boundaries, most) }
  }
  if (next?.type === 'end' && isEndOf(next, item))
    return { type: 'leave', characters: text.length, hint: 'completion', end: next }
  const behindUntil = patienceOf(next)
  // Text of a second output is behind what is held of the first one.
  if (isForced || next?.type === 'text' || now >= behindUntil)
    return { type: 'leave', ...cutter.atEnd(held, boundaries) }
  if (cutter.mayEnd(before, item.fresh, boundaries)) {
    const cut = cutter.atBoundary(held, boundaries, most)
    // White space is nothing to tell: it goes with what follows.
    if (isAny || text.slice(0, cut.characters).trim() !== '') return { type: 'leave', ...cut }
  }
  const since = timeOfItem(item)
  const { waitMs } = bounds
  const isLong = text.length >= bounds.characters
  if (hasMore && !isLong && next === undefined) return { type: 'wait', until: Number.POSITIVE_INFINITY }
  // A word of which the rest has not come waits once more.
  if (!isLong && now >= since + 2 * waitMs) return { type: 'leave', ...cutter.atEnd(held, boundaries) }
  if (isLong || now >= since + waitMs) {
    const word = cutter.atWord(held, boundaries, most)
    if (isLong || word.characters < text.length || word.hint !== 'none') return { type: 'leave', ...word }
  }
  const lookAt = now >= since + waitMs ? since + 2 * waitMs : since + waitMs
  return { type: 'wait', until: Math.min(behindUntil, lookAt) }
}

/** Until when an event waits behind text. */
export function patienceOf(item: Item | undefined): number {
  return item === undefined ? Number.POSITIVE_INFINITY : timeOfItem(item) + behindMs
}

export function isEndOf({ end: { event } }: EndItem, { pieces: [{ delta }] }: TextItem): boolean {
  return event.output === delta.output && event.take === delta.take
}

/** What is encoded of text that leaves. A piece that was a frame of its own stays one, and keeps its id. */
export function joinText(
  { pieces, text }: TextItem,
  hint: TextBoundary,
  end: EndItem | undefined,
): ReturnType<typeof toJoined> {
  const [piece, ...others] = pieces
  const { entry, delta } = piece
  const isWhole =
    others.length === 0 &&
    piece.text === delta.text &&
    entry.events[0] === delta &&
    entry.events.length === (end === undefined ? 1 : 2) &&
    (end === undefined || end.end.entry === entry)
  if (!isWhole)
    return toJoined(
      { pieces, characters: text.length, span: 0 },
      { hint, ...(end === undefined ? {} : { end: end.end }) },
    )
  return {
    entry: { ...entry, events: [{ ...delta, hint }, ...entry.events.slice(1)] },
    part: undefined,
  }
}
