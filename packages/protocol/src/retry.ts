import type { Backoff } from './backoff.ts'
import { errorTable, type SluiceError } from './error.ts'
import { type PauseOptions, pause } from './pause.ts'

export interface RetryOptions extends PauseOptions {
  readonly backoff: Backoff
  /** Which failures may be temporary. Default: `isRetryable`. */
  readonly isPassing?: (error: unknown) => boolean
  /** Default: no limit. */
  readonly maxTries?: number
  /** Gives up if the peer asks for a longer wait. Default: no limit. */
  readonly maxAskedMs?: number
  /** Gives up if the first failure is longer ago than this. Default: no limit. */
  readonly maxOutageMs?: number
  /** Called before every wait. May throw to give up. */
  readonly onFailure?: (error: unknown, failure: { readonly waitMs: number; readonly tries: number }) => void
}

const never = Number.POSITIVE_INFINITY

/**
 * Repeats `attempt` while it fails with an error that may be temporary, after growing waits. Throws the last
 * error when it gives up, or the signal's reason. A wait that the peer asked for does not end on wake.
 */
export async function retry<T>(attempt: () => Promise<T>, options: RetryOptions): Promise<T> {
  const { clock, signal, backoff, isPassing = isRetryable, onFailure } = options
  const { maxTries = never, maxAskedMs = never, maxOutageMs = never } = options
  let failedAt: number | undefined
  for (let tries = 1; ; tries++) {
    try {
      return await attempt()
    } catch (error) {
      if (signal.aborted) throw signal.reason
      failedAt ??= clock.monotonic()
      const askedMs = retryAfterOf(error)
      if (!isPassing(error) || tries >= maxTries || (askedMs ?? 0) > maxAskedMs) throw error
      if (clock.monotonic() - failedAt > maxOutageMs) throw error
      const waitMs = backoff.next(askedMs)
      onFailure?.(error, { waitMs, tries })
      await pause(waitMs, { clock, signal, onWake: askedMs === undefined ? options.onWake : undefined })
    }
  }
}

/**
 * Whether the same request may succeed later. Goes by the name of the error: a page may hold the class twice.
 */
export function isRetryable(error: unknown): error is SluiceError {
  return isSluiceError(error) && errorTable[error.code].retryable
}

/** How long the peer asked to wait. */
export function retryAfterOf(error: unknown): number | undefined {
  const value = isSluiceError(error) ? error.details?.['retryAfterMs'] : undefined
  return typeof value === 'number' ? value : undefined
}

function isSluiceError(error: unknown): error is SluiceError {
  return error instanceof Error && error.name === 'SluiceError'
}
