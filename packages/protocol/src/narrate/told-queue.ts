import type { Utterance } from './utterance.ts'

/** What goes before what: the answer to a key, then what is critical, what was asked for, and the session itself. */
export const ranks = { key: 0, critical: 1, asked: 2, session: 3 } as const
export type Rank = (typeof ranks)[keyof typeof ranks]

export interface Waiting {
  readonly utterance: Utterance
  readonly rank: Rank
  /** Was written before, and is only to be spoken again. */
  readonly isWritten: boolean
}

/** What waits to be told, in the order in which it will be. */
export interface ToldQueue {
  /** Behind all that is of its rank. */
  add(utterance: Utterance, rank: Rank): void
  /** Before all that is of its rank. */
  putBack(waiting: Waiting): void
  /** The next one, if its rank is at most this. */
  take(highest: Rank): Waiting | undefined
  /** Drops what neither is critical nor must be kept, and answers how much that was. */
  skip(): number
  clear(): void
  readonly length: number
}

export function createToldQueue(): ToldQueue {
  let items: Waiting[] = []

  /** The place before the first one of a higher rank, or before the first of the same. */
  const placeOf = (rank: Rank, isBefore: boolean): number => {
    const at = items.findIndex((item) => (isBefore ? item.rank >= rank : item.rank > rank))
    return at < 0 ? items.length : at
  }

  return {
    add(utterance, rank) {
      const isLast = (items.at(-1)?.rank ?? rank) <= rank
      items.splice(isLast ? items.length : placeOf(rank, false), 0, { utterance, rank, isWritten: false })
    },
    putBack(waiting) {
      items.splice(placeOf(waiting.rank, true), 0, waiting)
    },
    take(highest) {
      const [first] = items
      return first === undefined || first.rank > highest ? undefined : items.shift()
    },
    skip() {
      const before = items.length
      items = items.filter(({ rank, utterance }) => rank <= ranks.critical || utterance.isKept === true)
      return before - items.length
    },
    clear() {
      items = []
    },
    get length() {
      return items.length
    },
  }
}
