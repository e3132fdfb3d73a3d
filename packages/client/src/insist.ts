import { type Backoff, type RetryOptions, retry, untilAborted } from '@sluice/protocol'
import type { Page } from './page.ts'

export interface InsistOptions extends Omit<RetryOptions, 'signal' | 'backoff' | 'onWake'> {
  readonly page: Page
  readonly createBackoff: () => Backoff
  readonly signal: AbortSignal
}

/**
 * `retry()` in a page: a wait ends when the page wakes. Without `maxTries` nothing is attempted while
 * offline.
 */
export function insist<T>(work: () => Promise<T>, options: InsistOptions): Promise<T> {
  const { page, signal, createBackoff } = options
  const attempt = async () => {
    if (options.maxTries === undefined && !page.isOnline()) await untilOnline(page, signal)
    return work()
  }
  return retry(attempt, { ...options, backoff: createBackoff(), onWake: page.onWake })
}

/** Resolves once the platform has a network; rejects with the signal's reason. */
export function untilOnline(page: Page, signal: AbortSignal): Promise<void> {
  return untilAborted(signal, (resolve) =>
    page.onWake(() => {
      if (page.isOnline()) resolve()
    }),
  )
}
