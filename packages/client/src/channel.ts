import type { SluiceError } from '@sluice/protocol'

/** One who reads from a WebSocket: what came for it and waits for its consumer. */
export interface Channel<T> {
  /** Takes what came in a message of `size` characters; false once it holds more than it should. */
  push(items: readonly T[], size: number): boolean
  fail(error: SluiceError): void
  /**
   * Everything that waits, or what comes next. Undefined after an overflow, when what came before it was taken.
   * Rejects with the failure, also after what came before it.
   */
  take(): Promise<readonly T[] | undefined>
}

/** A channel that holds about `maxSize` characters; what comes once it is full is dropped. */
export function createChannel<T>(maxSize: number): Channel<T> {
  let waiting: T[] = []
  let size = 0
  let isFull = false
  let failure: SluiceError | undefined
  let wake: (() => void) | undefined

  return {
    push(items, messageSize) {
      if (isFull) return false
      for (const item of items) waiting.push(item)
      size += messageSize
      isFull = size > maxSize
      wake?.()
      return !isFull
    },
    fail(error) {
      failure ??= error
      wake?.()
    },
    async take() {
      while (waiting.length === 0) {
        if (failure !== undefined) throw failure
        if (isFull) return undefined
        await new Promise<void>((resolve) => {
          wake = resolve
        })
        wake = undefined
      }
      const taken = waiting
      waiting = []
      if (!isFull) size = 0
      return taken
    },
  }
}
