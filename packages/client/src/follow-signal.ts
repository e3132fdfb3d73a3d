export interface FollowedSignal {
  readonly controller: AbortController
  /** Stops following: a signal that outlives many requests must not collect their listeners. */
  release(): void
}

/** A separate controller that aborts when `signal` does, for the same reason. */
export function followSignal(signal: AbortSignal | undefined): FollowedSignal {
  const controller = new AbortController()
  const abort = () => controller.abort(signal?.reason)
  if (signal?.aborted) abort()
  else signal?.addEventListener('abort', abort)
  return { controller, release: () => signal?.removeEventListener('abort', abort) }
}
