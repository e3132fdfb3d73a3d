import { followSignal } from './follow-signal.ts'

/** An iteration that can be left at any time, even while it waits for its next item. */
export interface Iteration<T> extends AsyncIterableIterator<T, undefined> {
  return(): Promise<IteratorResult<T, undefined>>
}

/**
 * Yields the items of the batches of `start` one by one, and asks for the next batch when one is used up.
 * Leaving the loop or `return()` ends it immediately; when the signal aborts, it throws the reason. An async
 * generator cannot do that: its `return()` waits for the pending `next()`.
 */
export function iterate<T>(
  start: (signal: AbortSignal) => AsyncGenerator<readonly T[], void>,
  signal: AbortSignal | undefined,
): Iteration<T> {
  const { controller, release } = followSignal(signal)
  const batches = start(controller.signal)
  let batch: readonly T[] = []
  let used = 0
  let isLeft = false
  let turn: Promise<unknown> = Promise.resolve()

  async function take(): Promise<IteratorResult<T, undefined>> {
    try {
      for (;;) {
        if (isLeft) return { done: true, value: undefined }
        signal?.throwIfAborted()
        if (used < batch.length) return { done: false, value: batch[used++] as T } // inside the bounds
        const next = await batches.next()
        if (next.done) {
          leave()
          continue
        }
        batch = next.value
        used = 0
      }
    } catch (error) {
      if (isLeft) return { done: true, value: undefined }
      leave()
      throw error
    }
  }

  function leave(): void {
    isLeft = true
    release()
  }

  return {
    next() {
      const result = turn.then(take)
      turn = result.catch(() => {})
      return result
    },
    async return() {
      leave()
      batch = []
      controller.abort()
      await batches.return().catch(() => {}) // the abort above
      return { done: true, value: undefined }
    },
    [Symbol.asyncIterator]() {
      return this
    },
  }
}
