import type { Clock, Timer } from '@sluice/protocol'
import { createToldQueue, type Rank, ranks, type Utterance } from '@sluice/protocol/narrate'

/**
 * Hands utterances on in their order, so many at a time that each stays in the page long enough for a screen reader to
 * notice it. What is critical or was asked for does not wait.
 */
export interface Releases {
  add(utterance: Utterance, rank: Rank): void
  /** Before all that is of its rank. Is for what is held. */
  putBack(utterance: Utterance, rank: Rank): void
  /** Hands nothing on for so long. */
  hold(ms: number): void
  /** How many wait. */
  readonly waiting: number
  clear(): void
}

/** Half of what a live region keeps: with the next ones, each one stays for two spans. */
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
