import type { HeldPiece, Joined } from '../../../kernel/fan-out/held-text.ts'
import { type Item, isCritical, type OtherItem } from './item.ts'
import {
  dequeue,
  emptyQueue,
  enqueue,
  itemAt,
  lastOf,
  type Queue,
  sizeOf,
  withFirst,
  withLast,
} from './queue.ts'
import { extendText, type TextItem } from './text-item.ts'

/** The items that wait, in the order of the log. */
export interface Waiting {
  readonly items: Queue<Item>
  /** The length of all text, UTF-16 units. */
  readonly textCharacters: number
  readonly totals: Totals
  /** How many items were removed so far. */
  readonly removed: number
  readonly silent: Queue<Silent>
}

/** Sums over all items that are not text, so that most questions about them need no scan. */
interface Totals {
  readonly criticals: number
  readonly droppable: number
  /** How many can be merged, by group. */
  readonly progress: number
  readonly state: number
  /** The length of the frames that they arrived in. */
  readonly characters: number
}

/** Something that the encoder must see after the first `after` items that ever waited. */
interface Silent {
  readonly joined: Joined
  readonly after: number
}

export function createWaiting(): Waiting {
  return {
    items: emptyQueue(),
    textCharacters: 0,
    totals: { criticals: 0, droppable: 0, progress: 0, state: 0, characters: 0 },
    removed: 0,
    silent: emptyQueue(),
  }
}

/** Adds an item; if it continues the text of the last item, extends that one. */
export function addItem(waiting: Waiting, item: Item): Waiting {
  const extended = item.type === 'text' ? extendLast(waiting, item.head) : undefined
  if (extended !== undefined) return extended
  const { items, textCharacters, totals, removed, silent } = waiting
  return {
    items: enqueue(items, item),
    textCharacters: textCharacters + lengthOf(item),
    totals: count(totals, item, 1),
    removed,
    silent,
  }
}

/** Adds a piece of text to the last item; undefined if that is not the same text. */
export function extendLast(waiting: Waiting, piece: HeldPiece): Waiting | undefined {
  const { items, textCharacters, totals, removed, silent } = waiting
  const last = lastOf(items)
  const extended = last?.type === 'text' ? extendText(last, piece) : undefined
  if (extended === undefined) return undefined
  return {
    items: withLast(items, extended),
    textCharacters: textCharacters + piece.text.length,
    totals,
    removed,
    silent,
  }
}

export function addSilent(waiting: Waiting, joined: Joined): Waiting {
  const after = waiting.removed + sizeOf(waiting.items)
  return { ...waiting, silent: enqueue(waiting.silent, { joined, after }) }
}

/** Takes what the encoder must see before it encodes the next item. */
export function takeSilent(waiting: Waiting): { readonly waiting: Waiting; readonly due: readonly Joined[] } {
  const due: Joined[] = []
  let { silent } = waiting
  while (silent.first !== undefined && silent.first.after <= waiting.removed) {
    due.push(silent.first.joined)
    silent = dequeue(silent)
  }
  return { waiting: due.length === 0 ? waiting : { ...waiting, silent }, due }
}

export function removeFirst(waiting: Waiting): Waiting {
  const { items, textCharacters, totals, removed, silent } = waiting
  if (items.first === undefined) return waiting
  return {
    items: dequeue(items),
    textCharacters: textCharacters - lengthOf(items.first),
    totals: count(totals, items.first, -1),
    removed: removed + 1,
    silent,
  }
}

/** Replaces the first item, which is a text, with another text. */
export function replaceText(waiting: Waiting, text: TextItem): Waiting {
  const { items, textCharacters, totals, removed, silent } = waiting
  const before = items.first === undefined ? 0 : lengthOf(items.first)
  return {
    items: withFirst(items, text),
    textCharacters: textCharacters - before + text.text.length,
    totals,
    removed,
    silent,
  }
}

/** Whether a later item replaces the first one. Items never do so across a critical event. */
export function isReplaced({ items, totals }: Waiting, { merge }: OtherItem): boolean {
  if (merge === undefined || totals[merge] < 2) return false
  if (totals.criticals === 0) return true
  for (let index = 1; ; index++) {
    const later = itemAt(items, index)
    if (later === undefined) return false
    if (later.type === 'other' && later.merge === merge) return true
    if (isCritical(later)) return false
  }
}

/** Whether every item may be left out. */
export function isAllDroppable({ items, totals }: Waiting): boolean {
  return totals.droppable === sizeOf(items)
}

function lengthOf(item: Item): number {
  return item.type === 'text' ? item.text.length : 0
}

function count(totals: Totals, item: Item, by: 1 | -1): Totals {
  if (item.type !== 'other') return totals
  const { criticals, droppable, progress, state, characters } = totals
  return {
    criticals: item.rank === 'critical' ? criticals + by : criticals,
    droppable: item.isDroppable ? droppable + by : droppable,
    progress: item.merge === 'progress' ? progress + by : progress,
    state: item.merge === 'state' ? state + by : state,
    characters: characters + by * item.characters,
  }
}
