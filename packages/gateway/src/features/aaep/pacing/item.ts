import { type Entry, isJsonObject, type SluiceEvent, type TextDelta, unitsOf } from '@sluice/protocol'
import {
  type Held,
  type HeldEnd,
  type HeldPiece,
  type Joined,
  toPart,
} from '../../../kernel/fan-out/held-text.ts'
import { passesFilters } from '../negotiate-filters.ts'
import type { Terms } from '../terms.ts'
import { typesOf } from './event-types.ts'

/** How urgent something is (AAEP §3). */
type Rank = 'critical' | 'normal' | 'background'

/** A piece of an entry that waits to leave. In the order of the log. */
export type Item = TextItem | EndItem | OtherItem

/** Pieces of one text. It grows while it waits. */
export interface TextItem {
  readonly type: 'text'
  readonly pieces: HeldPiece[] & Held['pieces']
  text: string
  language: string | undefined
  /** What was not looked at for a boundary, with a little of the text before it. */
  fresh: string
}

/** The end of a text, which leaves with the rest of it. */
export interface EndItem {
  readonly type: 'end'
  readonly end: HeldEnd
  /** It alone, when nothing of its text is left. */
  readonly joined: Joined
}

/** Everything else. */
export interface OtherItem {
  readonly type: 'other'
  readonly joined: Joined
  readonly rank: Rank
  /** While it waits, a later one of the same makes it superfluous. */
  readonly merge: 'progress' | 'state' | undefined
  /** Leaving it out breaks no rule of order. */
  readonly isDroppable: boolean
}

/** When an item came in, ms since 1970. */
export function timeOfItem(item: Item): number {
  if (item.type === 'text') return item.pieces[0].entry.at
  return item.type === 'end' ? item.end.entry.at : item.joined.entry.at
}

/** Whether an entry holds something that must not wait. */
export function isUrgent({ events }: Entry): boolean {
  return events.some((event) => rankOf(event) === 'critical')
}

export function isCritical(item: Item): boolean {
  return item.type === 'other' && item.rank === 'critical'
}

/** The texts of a session that are thoughts, by output and take. */
export type Thoughts = Set<string>

/** What an entry is taken apart into. */
export interface Taken {
  readonly items: readonly Item[]
  /** Ends of thoughts that nobody reads: the encoder hears of them, and what it says is not sent. */
  readonly silent: readonly Joined[]
}

/**
 * Takes an entry apart. What the terms filter out is not there: nothing waits for it, and the place behind it is reached
 * with whatever leaves next. `from` units of the entry were delivered before, and are not among its events.
 */
export function takeApart(entry: Entry, terms: Terms, thoughts: Thoughts, from = 0): Taken {
  const items: Item[] = []
  const silent: Joined[] = []
  const { events } = entry
  const isWhole = from === 0
  let units = from
  let group: SluiceEvent[] = []
  let groupFrom = from
  const close = (isLast: boolean): void => {
    if (group.length > 0)
      items.push(
        toOther(
          isWhole && group.length === events.length
            ? { entry: { ...entry, events: group }, part: undefined }
            : toPart(entry, group, groupFrom, isLast),
          group,
          terms,
        ),
      )
    group = []
  }
  for (const [index, event] of events.entries()) {
    const isLast = index === events.length - 1
    const size = unitsOf(event)
    const isThought = noteThought(event, thoughts)
    if (isThought && event.kind === 'text-end' && !passesFilters('sluice:text-end', terms.filters)) {
      close(isLast)
      silent.push(toPart(entry, [event], units, isLast))
    } else if (isHidden(event, terms)) {
      // What stands before it is not the last of its entry to have a frame, but the last that leaves.
      close(isLast)
    } else if (event.kind === 'text-delta' && event.text !== '' && isHeld(event, terms)) {
      close(false)
      items.push(toText([toPiece(entry, event, units, isLast)], event.text))
    } else if (event.kind === 'text-end') {
      close(false)
      const joined: Joined =
        isWhole && events.length === 1 ? { entry, part: undefined } : toPart(entry, [event], units, isLast)
      items.push({ type: 'end', end: { entry, event, from: units, isLast }, joined })
    } else {
      // What is urgent leaves without what it came with; what passes every filter passes it alone.
      const isAlone = rankOf(event) === 'critical' || event.kind === 'question-close'
      if (isAlone) close(false)
      if (group.length === 0) groupFrom = units
      group.push(isEmptyText(event) ? { ...event, hint: 'none' } : event)
      if (isAlone) close(isLast)
    }
    units += size
  }
  close(true)
  return { items, silent }
}

function isEmptyText(event: SluiceEvent): event is TextDelta {
  return event.kind === 'text-delta' && event.text === ''
}

/** Whether an event belongs to a thought. Keeps which texts are thoughts until they end. */
function noteThought(event: SluiceEvent, thoughts: Thoughts): boolean {
  if (event.kind !== 'text-delta' && event.kind !== 'text-reset' && event.kind !== 'text-end') return false
  const key = textKey(event)
  if (event.kind === 'text-end') return thoughts.delete(key)
  if (event.channel === 'reasoning') thoughts.add(key)
  return event.channel === 'reasoning'
}

/** Tells the texts of a session apart. */
export function textKey({ output, take }: { readonly output: string; readonly take: number }): string {
  return `${take} ${output}`
}

export function toText(pieces: Held['pieces'], text: string): TextItem {
  const [first, ...others] = pieces
  const language = pieces.map(({ delta }) => languageOf(delta)).find((tag) => tag !== undefined)
  return { type: 'text', pieces: [first, ...others], text, language, fresh: text }
}

/** Adds a piece of the same text behind the others. */
export function growText(item: TextItem, piece: HeldPiece): void {
  item.pieces.push(piece)
  item.text += piece.text
  item.fresh += piece.text
  item.language ??= languageOf(piece.delta)
}

function languageOf(delta: TextDelta): string | undefined {
  const language = delta.language ?? delta.meta?.localization?.['primary_language']
  return typeof language === 'string' ? language : undefined
}

function toPiece(entry: Entry, delta: TextDelta, from: number, isLast: boolean): HeldPiece {
  return { entry, delta, text: delta.text, from, units: unitsOf(delta), offset: 0, isTail: true, isLast }
}

/** The piece that an entry is which holds nothing but more of an answer, as nine of ten do. */
export function plainPiece(entry: Entry): HeldPiece | undefined {
  const [event] = entry.events
  return entry.events.length === 1 &&
    event?.kind === 'text-delta' &&
    event.channel === 'answer' &&
    event.text !== '' &&
    event.meta?.urgency !== 'critical'
    ? toPiece(entry, event, 0, true)
    : undefined
}

function toOther(joined: Joined, events: readonly SluiceEvent[], terms: Terms): OtherItem {
  const ranks = events.map(rankOf)
  const isText = events.some((event) => event.kind === 'text-delta' && isHeld(event, terms))
  const rank = ranks.includes('critical') ? 'critical' : ranks.includes('normal') ? 'normal' : 'background'
  return {
    type: 'other',
    joined,
    rank,
    merge: isText ? undefined : mergeOf(events),
    isDroppable: !isText && rank === 'background' && events.every(({ kind }) => droppable.has(kind)),
  }
}

/** Kinds that stand alone: no rule of the contract ties them to another event. Text is here as a state that it tells. */
const droppable: ReadonlySet<SluiceEvent['kind']> = new Set([
  'state-change',
  'progress',
  'notice',
  'usage',
  'sources',
  'state-data',
  'unknown',
  'text-delta',
])

const background: ReadonlySet<SluiceEvent['kind']> = new Set([...droppable, 'part-add', 'tool-call-delta'])

function rankOf(event: SluiceEvent): Rank {
  const { kind, meta } = event
  if (kind === 'question-open' || kind === 'handoff') return 'critical'
  if (kind === 'session-end' && (event.outcome === 'failed' || event.outcome === 'rejected'))
    return 'critical'
  if (meta?.urgency !== undefined) return meta.urgency
  if (kind === 'text-delta' && event.channel === 'reasoning') return 'background'
  if (kind === 'notice' && (event.level === 'warning' || event.level === 'error')) return 'normal'
  return background.has(kind) && kind !== 'text-delta' ? 'background' : 'normal'
}

function mergeOf(events: readonly SluiceEvent[]): OtherItem['merge'] {
  if (events.some(isCountdown)) return undefined
  if (events.every(({ kind }) => kind === 'progress')) return 'progress'
  return events.every(({ kind }) => kind === 'state-change' || kind === 'text-delta') ? 'state' : undefined
}

/** The notice that time to answer runs out. */
function isCountdown({ meta }: SluiceEvent): boolean {
  const own = meta?.ext?.['sluice']
  return isJsonObject(own) && own['countdown'] !== undefined
}

/** Whether text waits for a boundary. Thinking aloud that is not read tells a state, and nothing else. */
function isHeld(event: TextDelta, { filters }: Terms): boolean {
  if (event.meta?.urgency === 'critical') return false
  return event.channel === 'answer' || passesFilters('sluice:text-delta', filters)
}

/** Critical events pass every filter, and so do the outcomes of questions: whoever was asked hears them. */
function isHidden(event: SluiceEvent, { filters }: Terms): boolean {
  if (event.kind === 'question-close' || rankOf(event) === 'critical') return false
  const types = typesOf(event)
  // Of thinking aloud only its beginning is told, as a state; the text has a type of its own.
  const told = event.kind === 'text-delta' && event.position > 0 ? types.slice(-1) : types
  return !told.some((type) => passesFilters(type, filters))
}
