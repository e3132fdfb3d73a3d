import type { Clock, Timer } from '@sluice/protocol'
import { createToldQueue, type Rank, ranks, type Utterance } from '@sluice/protocol/narrate'

/**
 * Releases utterances in order, in batches small enough that each utterance stays in the page until a screen
 * reader notices it. Critical and requested utterances do not wait.
 */
export interface Releases {
  add(utterance: Utterance, rank: Rank): void
  /** Adds before everything of its rank. Only for use during hold(). */
  putBack(utterance: Utterance, rank: Rank): void
  /** Releases nothing for `ms`. */
  hold(ms: number): void
  /** The number of waiting utterances. */
  readonly waiting: number
  clear(): void
}

/** Half of what a live region keeps, so that each utterance stays for two spans. */
const batchSize = 25
const spanMs = 500

export function createReleases(clock: Clock, release: (utterance: Utterance, rank: Rank) => void): Releases {
  const queue = createToldQueue()
  let left = batchSize
  let span: Timer | undefined
  let holding: Timer | undefined

  function flow(): void {
    while (holding === undefined) {
      const next = queue.take(left > 0 ? ranks.session : ranks.asked)
      if (next === undefined) break
      if (next.rank === ranks.session) left -= 1
      release(next.utterance, next.rank)
    }
    if (left < batchSize) span ??= clock.after(spanMs, refill)
  }

  function refill(): void {
    span = undefined
    left = batchSize
    flow()
  }

  return {
    add(utterance, rank) {
      queue.add(utterance, rank)
      flow()
    },
    putBack(utterance, rank) {
      queue.putBack({ utterance, rank, isWritten: true })
    },
    hold(ms) {
      holding?.clear()
      holding = clock.after(ms, () => {
        holding = undefined
        flow()
      })
    },
    get waiting() {
      return queue.length
    },
    clear() {
      queue.clear()
      span?.clear()
      holding?.clear()
      span = undefined
      holding = undefined
      left = batchSize
    },
  }
}
