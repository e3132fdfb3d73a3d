import {
  type Cursor,
  type Entry,
  isJsonObject,
  type JsonObject,
  type OutFrame,
  parseFrame,
} from '@sluice/protocol'
import { divideHeld, type HeldPiece, isSameText, type Joined } from '../../fan-out/held-text.ts'
import { encodeJoined, type ViewSpec } from '../../fan-out/position.ts'
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
import { edgeUnits, type TextCutter } from './text-cutter.ts'
import { isEndOf, joinText, patienceOf, planText, type TextPlan } from './text-plan.ts'

/** One event of a subscription. */
export interface PacedFrame {
  readonly id: string
  readonly data: string
  /** Where a reader stands who has it. */
  readonly cursor: Cursor
  /** The rate counts neither critical events nor what leaves because of them. */
  readonly isFree: boolean
}

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
  /** Gives an event the form that the terms ask for. */
  tailor(frame: JsonObject): JsonObject
}

/** Holds, joins and drops the events of one session for one subscription (AAEP §5). In the order of the log. */
export interface Pacer {
  /** Takes in the next entry; of its first `from` units nothing is among its events. */
  add(entry: Entry, from?: number): void
  /** What is to be done at `now`. `isReady`: the rate allows an event. Entries up to `urgentSeq` leave at once. */
  next(now: number, isReady: boolean, urgentSeq: number): PaceStep
  /** How many items wait. */
  readonly size: number
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

export function createPacer(entrance: PacedEntrance, initial: PacerOptions): Pacer {
  const { cursor, thoughts, tails } = entrance
  let options = initial
  let { position } = entrance
  let reached = cursor
  let items: Item[] = []
  let silent: Joined[] = []
  let out: PacedFrame[] = []
  let criticals = 0
  let lastSeq = cursor.units === undefined ? cursor.seq : cursor.seq - 1
  let nextTextAt = Number.NEGATIVE_INFINITY
  let showsText = passesFilters(streamingType, options.terms.filters)
  /** So many frames of the first item were delivered before. */
  let skip: { readonly item: Item | undefined; readonly frames: number } | undefined =
    cursor.frames === undefined ? undefined : { item: undefined, frames: cursor.frames }

  const push = (item: Item): void => {
    if (skip !== undefined && skip.item === undefined) skip = { ...skip, item }
    if (isCritical(item)) criticals += 1
    const last = items.at(-1)
    if (item.type !== 'text' || !extend(last, item.pieces[0])) items.push(item)
  }

  /** Adds to text that waits, if it is the same. */
  const extend = (last: Item | undefined, piece: HeldPiece): boolean => {
    if (last?.type !== 'text' || skip?.item === last) return false
    if (!isSameText(last.pieces[0].delta, piece.delta)) return false
    growText(last, piece)
    return true
  }

  const encode = (joined: Joined, item: Item): readonly OutFrame[] => {
    position = { ...position, encoder: encodeJoined(options.spec, position, silent).encoder }
    silent = []
    const encoded = encodeJoined(options.spec, position, [joined])
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

  /** Frames that nobody filtered, in the form that the terms ask for. */
  const queue = (
    frames: readonly OutFrame[],
    isText: boolean,
    isForced: boolean,
    isOutcome: boolean,
  ): void => {
    for (const { data, id, cursor: place } of frames) {
      if (isText) {
        out.push({ id: id ?? '', data, cursor: place, isFree: isForced })
        continue
      }
      const parsed = parseFrame(data)
      const value = parsed.ok ? parsed.frame.value : undefined
      if (!isJsonObject(value)) continue
      const { type, urgency, event_id } = value
      const isUrgent = urgency === 'critical'
      if (
        !isUrgent &&
        !isOutcome &&
        !(typeof type === 'string' && passesFilters(type, options.terms.filters))
      ) {
        reached = place
        continue
      }
      const tailored = options.tailor(withHint(value, options.terms))
      out.push({
        id: String(event_id),
        data: tailored === value ? data : JSON.stringify(tailored),
        cursor: place,
        isFree: isForced || isUrgent,
      })
    }
  }

  const remove = (): void => {
    const [first] = items
    if (first !== undefined && isCritical(first)) criticals -= 1
    items = items.slice(1)
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
    } else items = items.slice(end === undefined ? 1 : 2)
    const [{ delta }] = item.pieces
    const isPlain = delta.channel === 'answer' && showsText
    queue(encode(joinText(leaving, hint, end), item), isPlain, isForced, false)
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
      const before = items.length
      const taken = takeApart(entry, options.terms, thoughts, from)
      for (const item of taken.items) push(item)
      silent.push(...taken.silent)
      if (items.length === 0 && before === 0 && out.length === 0) reached = { seq: entry.seq }
    },
    next(now, isReady, urgentSeq) {
      for (;;) {
        const [frame] = out
        if (frame !== undefined) {
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
          const plan = planText(item, tailOf(item), behind, options.terms, options.cutter, now, isForced)
          if (plan.type === 'wait') {
            item.fresh = item.fresh.slice(-edgeUnits)
            return plan
          }
          leaveText(item, plan, now, isForced)
        } else if (item.type === 'other' && isSuperfluous(item, isReady, isForced)) remove()
        else if (!isForced && !isReady) return { type: 'full' }
        else {
          remove()
          const isOutcome = item.joined.entry.events.some(({ kind }) => kind === 'question-close')
          queue(encode(item.joined, item), false, isForced, isOutcome)
        }
      }
    },
    get size() {
      return items.length + out.length
    },
    get seq() {
      return lastSeq
    },
    get cursor() {
      return reached
    },
    get hasCritical() {
      return criticals > 0 || out.some(({ isFree }) => isFree)
    },
    renegotiate(changed) {
      options = changed
      showsText = passesFilters(streamingType, changed.terms.filters)
    },
  }
}

/** An empty chunk, which was not cut, claims no boundary that nobody asked for. */
function withHint(value: JsonObject, { boundaries }: Terms): JsonObject {
  const { coalesce_hint: hint } = value
  const isKept =
    hint === undefined || hint === 'completion' || boundaries.some((boundary) => boundary === hint)
  return isKept ? value : { ...value, coalesce_hint: 'none' }
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
