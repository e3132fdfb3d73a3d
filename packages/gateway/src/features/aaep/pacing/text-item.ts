import { type Entry, type EventPlace, type TextDelta, unitsOf } from '@sluice/protocol'
import { dividePiece, type Held, type HeldPiece, isSameText } from '../../../kernel/fan-out/held-text.ts'
import { dequeue, emptyQueue, enqueue, itemsOf, type Queue } from './queue.ts'

/** Waiting text of one output: one or more pieces of it, in order. */
export interface TextItem {
  readonly type: 'text'
  readonly head: HeldPiece
  /** The pieces after the first. */
  readonly others: Queue<HeldPiece>
  /** The text of all pieces. */
  readonly text: string
  readonly language: string | undefined
  /** The part of the text that was not searched for a boundary, and a few characters before it. */
  readonly fresh: string
}

export function toTextItem(head: HeldPiece): TextItem {
  const { text, delta } = head
  const others = emptyQueue<HeldPiece>()
  return { type: 'text', head, others, text, language: languageOf(delta), fresh: text }
}

export function piecesOf({ head, others }: TextItem): Held['pieces'] {
  return [head, ...itemsOf(others)]
}

/** The text with another piece at its end; undefined if the piece belongs to another text. */
export function extendText(item: TextItem, piece: HeldPiece): TextItem | undefined {
  if (!isSameText(item.head.delta, piece.delta)) return undefined
  return {
    type: 'text',
    head: item.head,
    others: enqueue(item.others, piece),
    text: item.text + piece.text,
    language: item.language ?? languageOf(piece.delta),
    fresh: item.fresh + piece.text,
  }
}

export function withFresh(item: TextItem, fresh: string): TextItem {
  const { head, others, text, language } = item
  return { type: 'text', head, others, text, language, fresh }
}

/**
 * Divides text. The time depends only on the pieces of the first part, because a long text is cut many times.
 */
export function divideText(
  item: TextItem,
  characters: number,
): { readonly before: Held['pieces']; readonly after: TextItem } {
  const before: HeldPiece[] = []
  let { head, others } = item
  let left = characters
  while (left >= head.text.length && others.first !== undefined) {
    before.push(head)
    left -= head.text.length
    head = others.first
    others = dequeue(others)
  }
  if (left > 0) {
    const [first, second] = dividePiece(head, left)
    before.push(first)
    head = second
  }
  const text = item.text.slice(characters)
  const language = item.language === undefined ? undefined : firstLanguage(head, others)
  return {
    before: before as [HeldPiece, ...HeldPiece[]], // the cut comes after at least one character
    after: { type: 'text', head, others, text, language, fresh: text },
  }
}

function firstLanguage(head: HeldPiece, others: Queue<HeldPiece>): string | undefined {
  const own = languageOf(head.delta)
  if (own !== undefined) return own
  return itemsOf(others)
    .map(({ delta }) => languageOf(delta))
    .find((language) => language !== undefined)
}

function languageOf(delta: TextDelta): string | undefined {
  const language = delta.language ?? delta.meta?.localization?.['primary_language']
  return typeof language === 'string' ? language : undefined
}

/** A delta as one piece. `at` is its place in the entry; `isLast`: it is the last part of the entry. */
export function toPiece(
  entry: Entry,
  delta: TextDelta,
  { at, isLast }: { readonly at: EventPlace; readonly isLast: boolean },
): HeldPiece {
  const { text } = delta
  const { units: from, empty } = at
  return { entry, delta, text, from, empty, units: unitsOf(delta), offset: 0, isTail: true, isLast }
}

const entryStart: EventPlace = { units: 0, empty: 0 }

/** The entry as a single piece: nine of ten entries only continue an answer. */
export function plainPiece(entry: Entry): HeldPiece | undefined {
  const [event] = entry.events
  return entry.events.length === 1 &&
    event?.kind === 'text-delta' &&
    event.channel === 'answer' &&
    event.text !== '' &&
    event.meta?.urgency !== 'critical'
    ? toPiece(entry, event, { at: entryStart, isLast: true })
    : undefined
}
