import type { Cursor, Entry, JsonObject, OutFrame } from '@sluice/protocol'
import { divideHeld, type HeldPiece, isSameText, type Joined } from '../../../kernel/fan-out/held-text.ts'
import { encodeJoined, type Position, type ViewSpec } from '../../../kernel/fan-out/position.ts'
import { passesFilters } from '../negotiate-filters.ts'
import type { Terms } from '../terms.ts'
import { type PacedEntrance, tailUnits } from './enter-paced.ts'
import { streamingType } from './event-types.ts'
import {
  growText,
  type Item,
  isCritical,
  type OtherItem,
  plainPiece,
  type TextItem,
  takeApart,
  textKey,
  toText,
} from './item.ts'
import { type PacedFrame, type Queued, toPaced } from './paced-frame.ts'
import { edgeUnits, type TextCutter } from './text-cutter.ts'
import { isEndOf, joinText, maxCharacters, patienceOf, planText, type TextPlan } from './text-plan.ts'

export type PaceStep =
  | { readonly type: 'emit'; readonly frame: PacedFrame }
  /** Something may leave as soon as the rate allows it. */
  | { readonly type: 'full' }
  /** Nothing may leave before `until`, ms since 1970, unless more comes. */
  | { readonly type: 'wait'; readonly until: number }

export interface PacerOptions {
  readonly terms: Terms
  readonly spec: ViewSpec
  readonly cutter: TextCutter
  /** Events get ids of ours: those of producers are unique within one session at best. */
  readonly mintsIds: boolean
  /** Gives an event the form that the terms ask for. */
  tailor(frame: JsonObject): JsonObject
}

/** Holds, joins and drops the events of one session for one subscription (AAEP §5). In the order of the log. */
export interface Pacer {
  /** Takes in the next entry; of its first `from` units nothing is among its events. */
  add(entry: Entry, from?: number): void
  /**
   * What is to be done at `now`. `isReady`: the rate allows an event. Entries up to `urgentSeq` leave at once. `hasMore`:
   * entries that are there already will be added, so that text is not cut where they begin.
   */
  next(now: number, isReady: boolean, urgentSeq: number, hasMore?: boolean): PaceStep
  /** How many items wait. */
  readonly size: number
  /** So much waits that the rest had better wait elsewhere. Never so while only more text would let it leave. */
  readonly isFull: boolean
  /** The last entry that was taken in. */
  readonly seq: number
  /** Where a reader stands who has everything that left. */
  readonly cursor: Cursor
  readonly hasCritical: boolean
  /** The terms change for everything that has not left. */
  renegotiate(options: PacerOptions): void
}

/** A text is waited for while it is read, but no longer than this. */
const maxReadingMs = 10_000
/** What waits besides text may have come in as so many characters. */
const maxOtherCharacters = 1024 * 1024

export function createPacer(entrance: PacedEntrance, initial: PacerOptions): Pacer {
  const { cursor, mint, thoughts, tails } = entrance
  let options = initial
  let { position } = entrance
  let reached = cursor
  let items: Item[] = []
  /** Each is to be heard behind so many items. */
  let silent: { readonly joined: Joined; readonly behind: number }[] = []
  let out: Queued[] = []
  /** What the frames in `out` were made of, and from where. */
  let leaving: { readonly joined: Joined; readonly from: Position } | undefined
  let criticals = 0
  let pushed = 0
  let removed = 0
  const sizes = new Map<Item, number>()
  let otherCharacters = 0
  let textCharacters = 0
  let lastSeq = cursor.units === undefined ? cursor.seq : cursor.seq - 1
  let nextTextAt = Number.NEGATIVE_INFINITY
  let showsText = passesFilters(streamingType, options.terms.filters)
  /** So many frames of the first item were delivered before, if it begins where the cursor stands. */
  let skip: { readonly item: Item | undefined; readonly frames: number } | undefined =
    cursor.frames === undefined ? undefined : { item: undefined, frames: cursor.frames }

  const push = (item: Item): void => {
    if (skip !== undefined && skip.item === undefined)
      skip = isFrom(item, cursor) ? { ...skip, item } : undefined
    if (isCritical(item)) criticals += 1
    const last = items.at(-1)
    if (item.type === 'text' && extend(last, item.pieces[0])) return
    if (item.type === 'text') textCharacters += item.text.length
    items.push(item)
    pushed += 1
  }

  const removeFirst = (count: number): void => {
    for (const item of items.slice(0, count)) {
      if (isCritical(item)) criticals -= 1
      otherCharacters -= sizes.get(item) ?? 0
      sizes.delete(item)
    }
    items = items.slice(count)
    removed += count
  }

  /** The encoder hears of what nobody reads, in its turn. */
  const hearSilent = (): void => {
    const due = silent.filter(({ behind }) => behind <= removed)
    if (due.length === 0) return
    silent = silent.filter(({ behind }) => behind > removed)
    const heard = due.map(({ joined }) => joined)
    position = { ...position, encoder: encodeJoined(options.spec, position, heard).encoder }
  }

  /** Adds to text that waits, if it is the same. */
  const extend = (last: Item | undefined, piece: HeldPiece): boolean => {
    if (last?.type !== 'text' || skip?.item === last) return false
    if (!isSameText(last.pieces[0].delta, piece.delta)) return false
    growText(last, piece)
    textCharacters += piece.text.length
    return true
  }

  const encode = (joined: Joined, item: Item): readonly OutFrame[] => {
    // What is no whole entry has no id of its own. An id that another gateway minted would be taken for one of ours.
    const mintsId = options.mintsIds || joined.entry.events.some(({ meta }) => meta?.id?.startsWith(mint))
    const part = joined.part ?? (mintsId ? { from: 0 } : undefined)
    leaving = { joined: { entry: joined.entry, part }, from: position }
    const encoded = encodeJoined(options.spec, position, [leaving.joined])
    position = {
      ...position,
      seq: joined.entry.seq,
      encoder: encoded.encoder,
      last: encoded.frames.at(-1)?.cursor ?? position.last,
    }
    const done = skip?.item === item ? skip.frames : 0
    skip = undefined
    return done === 0 ? encoded.frames : encoded.frames.slice(done)
  }

  /** Frames that nobody filtered, in the form that the terms ask for when they leave. */
  const queue = (
    frames: readonly OutFrame[],
    isText: boolean,
    isForced: boolean,
    isOutcome: boolean,
  ): void => {
    for (const frame of frames) out.push({ frame, isText, isForced, isOutcome })
  }

  /** Whether an item at the front need not leave: a later one says the same, or the reader wants less. */
  const isSuperfluous = (item: OtherItem, isReady: boolean, isForced: boolean): boolean => {
    const { load } = options.terms
    if (item.merge !== undefined && load !== 'high') {
      for (const later of items.slice(1)) {
        if (later.type === 'other' && later.merge === item.merge) return true
        if (isCritical(later)) break
      }
    }
    if (load !== 'low' || !item.isDroppable) return false
    return (!isReady && !isForced) || items.some((other) => other.type !== 'other' || !other.isDroppable)
  }

  /** What left of the text before, as much as its boundaries are judged by. */
  const tailOf = ({ pieces: [{ delta }] }: TextItem): string => tails.get(textKey(delta)) ?? ''

  const leaveText = (
    item: TextItem,
    plan: Extract<TextPlan, { type: 'leave' }>,
    now: number,
    isForced: boolean,
  ): void => {
    const { characters, hint, end } = plan
    let leaving = item
    if (characters < item.text.length) {
      const { pieces, text } = item
      const [before, after] = divideHeld({ pieces, characters: text.length, span: 0 }, characters)
      leaving = toText(before.pieces, item.text.slice(0, characters))
      items[0] = toText(after.pieces, item.text.slice(characters))
    } else removeFirst(end === undefined ? 1 : 2)
    textCharacters -= leaving.text.length
    const [{ delta }] = item.pieces
    queue(encode(joinText(leaving, hint, end), item), delta.channel === 'answer', isForced, false)
    hearSilent()
    const key = textKey(delta)
    if (end === undefined) tails.set(key, (tailOf(item) + leaving.text).slice(-tailUnits))
    else tails.delete(key)
    const { paceWpm } = options.terms
    if (paceWpm !== undefined)
      nextTextAt = now + Math.min(maxReadingMs, (countWords(leaving.text) / paceWpm) * 60_000)
  }

  return {
    add(entry, from = 0) {
      position = { ...position, seq: entry.seq }
      lastSeq = entry.seq
      const plain = from === 0 && showsText ? plainPiece(entry) : undefined
      if (plain !== undefined && extend(items.at(-1), plain)) return
      const { raw, ...bare } = entry
      const taken = takeApart(bare, options.terms, thoughts, from)
      for (const item of taken.items) push(item)
      for (const joined of taken.silent) silent.push({ joined, behind: pushed })
      hearSilent()
      const last = items.at(-1)
      if (last?.type === 'other' && taken.items.includes(last) && raw !== undefined) {
        sizes.set(last, raw.length)
        otherCharacters += raw.length
      }
      if (items.length === 0 && out.length === 0) reached = { seq: entry.seq }
    },
    next(now, isReady, urgentSeq, hasMore = false) {
      for (;;) {
        const [queued] = out
        if (queued !== undefined) {
          if (queued.made === undefined) queued.made = toPaced(queued, options, showsText)
          const { made: frame } = queued
          if (frame === null) {
            reached = queued.frame.cursor
            out = out.slice(1)
            continue
          }
          // What waits before something critical is a part of the flush.
          const isFree = frame.isFree || criticals > 0 || urgentSeq >= frame.cursor.seq
          if (!isFree && !isReady) return { type: 'full' }
          out = out.slice(1)
          reached = frame.cursor
          return { type: 'emit', frame: isFree === frame.isFree ? frame : { ...frame, isFree } }
        }
        const [item, behind] = items
        if (item === undefined) return { type: 'wait', until: Number.POSITIVE_INFINITY }
        const isForced = criticals > 0 || urgentSeq >= seqOf(item)
        if (item.type === 'text') {
          if (!isForced && !isReady) return { type: 'full' }
          const hasEnd = behind?.type === 'end' && isEndOf(behind, item)
          const patience = patienceOf(hasEnd ? items[2] : behind)
          const isDue = isForced || behind?.type === 'text' || now >= patience
          if (!isDue && now < nextTextAt) return { type: 'wait', until: Math.min(nextTextAt, patience) }
          const plan = planText(item, tailOf(item), behind, options, now, isForced, hasMore)
          if (plan.type === 'wait') {
            item.fresh = item.fresh.slice(-edgeUnits)
            return plan
          }
          leaveText(item, plan, now, isForced)
        } else if (item.type === 'other' && isSuperfluous(item, isReady, isForced)) {
          removeFirst(1)
          hearSilent()
        } else if (!isForced && !isReady) return { type: 'full' }
        else {
          removeFirst(1)
          if (item.type === 'end') tails.delete(textKey(item.end.event))
          const isOutcome = item.joined.entry.events.some(({ kind }) => kind === 'question-close')
          queue(encode(item.joined, item), false, isForced, isOutcome)
          hearSilent()
        }
      }
    },
    get size() {
      return items.length + out.length
    },
    get isFull() {
      return textCharacters >= maxCharacters || otherCharacters >= maxOtherCharacters
    },
    get seq() {
      return lastSeq
    },
    get cursor() {
      return reached
    },
    get hasCritical() {
      return criticals > 0 || out.some(({ isForced }) => isForced)
    },
    renegotiate(changed) {
      options = changed
      showsText = passesFilters(streamingType, changed.terms.filters)
      for (const item of items) if (item.type === 'text') item.fresh = item.text
      if (out.length === 0 || leaving === undefined) return
      // What was encoded and has not left is said again, in the language that is asked for.
      const encoded = encodeJoined(changed.spec, leaving.from, [leaving.joined])
      const rest = encoded.frames.slice(-out.length)
      out = out.map(({ frame, made: _, ...queued }, index) => ({ ...queued, frame: rest[index] ?? frame }))
    },
  }
}

/** Whether an item begins where a cursor stands inside its entry. */
function isFrom(item: Item, { seq, units }: Cursor): boolean {
  if (seqOf(item) !== seq) return false
  if (item.type === 'text') return item.pieces[0].from === units
  return (item.type === 'end' ? item.end.from : (item.joined.part?.from ?? 0)) === units
}

function seqOf(item: Item): number {
  if (item.type === 'text') return item.pieces[0].entry.seq
  return item.type === 'end' ? item.end.entry.seq : item.joined.entry.seq
}

/** In scripts without spaces two characters are about a word. */
function countWords(text: string): number {
  const spaced = text.split(/\s+/).filter((word) => word !== '').length
  const unspaced =
    text.match(/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/gu)?.length ?? 0
  return spaced + unspaced / 2
}
