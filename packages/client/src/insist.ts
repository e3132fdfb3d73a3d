import type { Clock } from '@sluice/protocol'
import type { Backoff } from './backoff.ts'
import type { Page } from './page.ts'
import { pause, untilOnline } from './pause.ts'
import { isRetryable, retryAfterOf } from './problem.ts'

export interface InsistOptions {
  readonly clock: Clock
  readonly page: Page
  readonly createBackoff: () => Backoff
  readonly signal: AbortSignal
  /** Default: no end of them, and none while the platform is offline. */
  readonly maxTries?: number
  /** A gateway that asks for a longer wait is not waited for. Default: any is. */
  readonly maxWaitMs?: number
}

/** Does `work` again while its failure may pass, later and later. Throws any other failure, and the signal's reason. */
export async function insist<T>(work: () => Promise<T>, options: InsistOptions): Promise<T> {
  const { clock, page, signal } = options
  const { maxTries = Number.POSITIVE_INFINITY, maxWaitMs = Number.POSITIVE_INFINITY } = options
  const backoff = options.createBackoff()
  for (let tries = 1; ; tries++) {
    if (maxTries === Number.POSITIVE_INFINITY && !page.isOnline()) await untilOnline(page, signal)
    try {
      return await work()
    } catch (error) {
      signal.throwIfAborted()
      const atLeastMs = retryAfterOf(error)
      if (tries >= maxTries || (atLeastMs ?? 0) > maxWaitMs || !isRetryable(error)) throw error
      await pause(backoff.next(atLeastMs), { clock, page, signal, endsOnWake: atLeastMs === undefined })
    }
  }
}
