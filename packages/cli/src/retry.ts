import { errorTable, SluiceError } from '@sluice/protocol'

export interface RetryOptions {
  /** Which errors are not waited for, besides those that never pass by themselves. */
  readonly isFinal: (error: SluiceError) => boolean
  /** Told when an outage begins. */
  readonly onOutage: (error: SluiceError) => void
  readonly pause: (ms: number) => Promise<void>
  readonly now: () => number
  readonly random: () => number
}

const firstPauseMs = 100
const maxPauseMs = 5000
const giveUpMs = 5 * 60_000

/** Repeats `attempt` while it fails with what may pass by itself, for five minutes, each pause longer at random. */
export async function retry<Result>(attempt: () => Promise<Result>, options: RetryOptions): Promise<Result> {
  let since: number | undefined
  for (let ceilingMs = firstPauseMs; ; ceilingMs = Math.min(maxPauseMs, ceilingMs * 2)) {
    try {
      return await attempt()
    } catch (error) {
      if (!(error instanceof SluiceError) || !errorTable[error.code].retryable || options.isFinal(error))
        throw error
      if (since === undefined) options.onOutage(error)
      since ??= options.now()
      if (options.now() - since > giveUpMs) throw error
      const askedMs = Number(error.details?.['retryAfterMs'] ?? 0)
      await options.pause(Math.max(askedMs, ceilingMs * options.random()))
    }
  }
}
