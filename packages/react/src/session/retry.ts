import { type Clock, errorTable, type SluiceError } from '@sluice/protocol'

const firstWaitMs = 500
const longestWaitMs = 15_000

/** Whether the same request may succeed later. */
export function isRetryable(error: SluiceError): boolean {
  return errorTable[error.code].retryable
}

/** How long to wait before the next try. */
export function retryWaitMs(tries: number): number {
  return Math.min(longestWaitMs, firstWaitMs * 2 ** Math.min(tries, 10))
}

/** Resolves after `ms`, or at the abort. */
export function waitFor(clock: Clock, ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      timer.clear()
      signal.removeEventListener('abort', done)
      resolve()
    }
    const timer = clock.after(ms, done)
    signal.addEventListener('abort', done)
    if (signal.aborted) done()
  })
}
