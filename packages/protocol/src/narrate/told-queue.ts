import type { Utterance } from './utterance.ts'

/**
 * The order of utterances: the answer to a key, then critical ones, requested ones, and the session itself.
 */
export const ranks = { key: 0, critical: 1, asked: 2, session: 3 } as const
export type Rank = (typeof ranks)[keyof typeof ranks]

export interface Waiting {
  readonly utterance: Utterance
  readonly rank: Rank
  /** Already written, and only to be spoken again. */
  readonly isWritten: boolean
}

/** The utterances that wait, in the order in which they will be spoken. */
export interface ToldQueue {
  /** After everything of its rank. */
  add(utterance: Utterance, rank: Rank): void
  /** Before everything of its rank. */
  putBack(waiting: Waiting): void
  /** The next one, if its rank is at most `highest`. */
  take(highest: Rank): Waiting | undefined
  /** Drops everything that ranks after `critical` and need not be kept; returns how much it dropped. */
  skip(): number
  clear(): void
  readonly length: number
}

export function createToldQueue(): ToldQueue {
  let items: Waiting[] = []

  /** The index before the first one of a higher rank or, with `isBefore`, of the same rank. */
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
