import {
  type Entry,
  type EntryPart,
  type EventPlace,
  isJsonObject,
  placeAfter,
  type SluiceEvent,
  type TextDelta,
} from '@sluice/protocol'
import { type Joined, toPart } from '../../../kernel/fan-out/held-text.ts'
import { passesFilters } from '../negotiate-filters.ts'
import type { Terms } from '../terms.ts'
import { typesOf } from './event-types.ts'
import type { Item, OtherItem } from './item.ts'
import { droppableKinds, rankOf } from './rank.ts'
import { toPiece, toTextItem } from './text-item.ts'

/** The open texts of a session that are reasoning, by `textKey`. */
export type Thoughts = ReadonlySet<string>

export interface Taken {
  readonly items: readonly Item[]
  /** Ends of reasoning that the terms hide: the encoder must see them, but their frames are not sent. */
  readonly silent: readonly Joined[]
  readonly thoughts: Thoughts
}

export interface TakeOptions {
  readonly terms: Terms
  readonly thoughts: Thoughts
  /** Set if only the rest of the entry is left. */
  readonly part: EntryPart | undefined
}

/**
 * Divides an entry into items. Hidden events become no item: the next item that is sent moves the cursor past
 * them.
 */
export function takeApart(entry: Entry, { terms, thoughts: before, part }: TakeOptions): Taken {
  const items: Item[] = []
  const silent: Joined[] = []
  const { events } = entry
  const isWhole = part === undefined
  let thoughts = before
  let place: EventPlace = { units: part?.from ?? 0, empty: part?.empty ?? 0 }
  let group: SluiceEvent[] = []
  let groupAt = place
  const close = (isLast: boolean): void => {
    if (group.length > 0)
      items.push(
        toOther(
          isWhole && group.length === events.length
            ? { entry: { ...entry, events: group }, part: undefined }
            : toPart(entry, group, toEntryPart(groupAt, { isLast })),
          group,
          terms,
        ),
      )
    group = []
  }
  for (const [index, event] of events.entries()) {
    const isLast = index === events.length - 1
    const followed = followThought(thoughts, event)
    thoughts = followed.thoughts
    if (followed.isThought && event.kind === 'text-end' && !passesFilters('sluice:text-end', terms.filters)) {
      close(isLast)
      silent.push(toPart(entry, [event], toEntryPart(place, { isLast })))
    } else if (isHidden(event, terms)) {
      // If the hidden event is the last of its entry, the group before it is the last that is sent.
      close(isLast)
    } else if (event.kind === 'text-delta' && event.text !== '' && isHeld(event, terms)) {
      close(false)
      items.push(toTextItem(toPiece(entry, event, { at: place, isLast })))
    } else if (event.kind === 'text-end') {
      close(false)
      const joined: Joined =
        isWhole && events.length === 1
          ? { entry, part: undefined }
          : toPart(entry, [event], toEntryPart(place, { isLast }))
      items.push({ type: 'end', end: { entry, event, from: place.units, isLast }, joined })
    } else {
      // A critical event does not wait for the others of its entry, and the outcome of a question passes filters that
      // hide them.
      const isAlone = rankOf(event) === 'critical' || event.kind === 'question-close'
      if (isAlone) close(false)
      if (group.length === 0) groupAt = place
      group.push(isEmptyText(event) ? { ...event, hint: 'none' } : event)
      if (isAlone) close(isLast)
    }
    place = placeAfter(place, event)
  }
  close(true)
  return { items, silent, thoughts }
}

function toEntryPart(
  { units: from, empty }: EventPlace,
  { isLast }: { readonly isLast: boolean },
): EntryPart {
  return { from, empty, isInner: !isLast }
}

/** Identifies a text of a session. */
export function textKey({ output, take }: { readonly output: string; readonly take: number }): string {
  return `${take} ${output}`
}

function isEmptyText(event: SluiceEvent): event is TextDelta {
  return event.kind === 'text-delta' && event.text === ''
}

/** Whether an event belongs to reasoning, and which open texts are reasoning after it. */
function followThought(
  thoughts: Thoughts,
  event: SluiceEvent,
): { readonly isThought: boolean; readonly thoughts: Thoughts } {
  if (event.kind !== 'text-delta' && event.kind !== 'text-reset' && event.kind !== 'text-end')
    return { isThought: false, thoughts }
  const key = textKey(event)
  const isKnown = thoughts.has(key)
  if (event.kind === 'text-end')
    return isKnown
      ? { isThought: true, thoughts: new Set([...thoughts].filter((other) => other !== key)) }
      : { isThought: false, thoughts }
  const isThought = event.channel === 'reasoning'
  return { isThought, thoughts: isThought && !isKnown ? new Set([...thoughts, key]) : thoughts }
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
    isDroppable: !isText && rank === 'background' && events.every(({ kind }) => droppableKinds.has(kind)),
    characters: 0,
  }
}

function mergeOf(events: readonly SluiceEvent[]): OtherItem['merge'] {
  if (events.some(isCountdown)) return undefined
  if (events.every(({ kind }) => kind === 'progress')) return 'progress'
  return events.every(({ kind }) => kind === 'state-change' || kind === 'text-delta') ? 'state' : undefined
}

/** The notice that little time is left for an answer. */
function isCountdown({ meta }: SluiceEvent): boolean {
  const own = meta?.ext?.['sluice']
  return isJsonObject(own) && own['countdown'] !== undefined
}

/** Whether text waits for a boundary. Reasoning that the terms hide is only sent as a state. */
function isHeld(event: TextDelta, { filters }: Terms): boolean {
  if (event.meta?.urgency === 'critical') return false
  return event.channel === 'answer' || passesFilters('sluice:text-delta', filters)
}

/**
 * Critical events pass every filter, and so do the outcomes of questions: everyone who was asked learns them.
 */
function isHidden(event: SluiceEvent, { filters }: Terms): boolean {
  if (event.kind === 'question-close' || rankOf(event) === 'critical') return false
  const types = typesOf(event)
  // Only the start of reasoning is sent as a state; its text has its own type.
  const shown = event.kind === 'text-delta' && event.position > 0 ? types.slice(-1) : types
  return !shown.some((type) => passesFilters(type, filters))
}
