import type { SluiceError } from '@sluice/protocol'
import type { Signal } from './transport.ts'

/** One subscription on a shared socket: what came for it and waits for its consumer. */
export interface Channel {
  /** Takes what came in a message of `size` characters; false once it holds more than it should. */
  push(signals: readonly Signal[], size: number): boolean
  fail(error: SluiceError): void
  /**
   * Everything that waits, or what comes next. Undefined after an overflow, when what came before it was taken.
   * Rejects with the failure, also after what came before it.
   */
  take(): Promise<readonly Signal[] | undefined>
}

/** A channel that holds about `maxSize` characters; what comes once it is full is dropped. */
export function createChannel(maxSize: number): Channel {
  let waiting: Signal[] = []
  let size = 0
  let isFull = false
  let failure: SluiceError | undefined
  let wake: (() => void) | undefined

  return {
    push(signals, messageSize) {
      if (isFull) return false
      for (const signal of signals) waiting.push(signal)
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
