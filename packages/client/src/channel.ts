import type { SluiceError } from '@sluice/protocol'

/** One reader of a WebSocket: holds what has arrived until the consumer takes it. */
export interface Channel<T> {
  /** Takes the items of a message of `size` characters; false once the channel is full. */
  push(items: readonly T[], size: number): boolean
  fail(error: SluiceError): void
  /**
   * All waiting items, or the next ones. Undefined after an overflow, once the items before it are taken.
   * After a failure it rejects, likewise after the items before it.
   */
  take(): Promise<readonly T[] | undefined>
}

/** A channel that holds about `maxSize` characters. Once it is full, it drops what arrives. */
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
