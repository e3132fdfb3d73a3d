import { SluiceError } from '@sluice/protocol'

/** How many bytes are on their way to the log, with an upper bound. */
export interface PendingBytes {
  readonly bytes: number
  /** Counts `bytes` until the returned function is called, or throws `overloaded`. */
  reserve(bytes: number): () => void
  /** The same; undefined if there is no room. */
  tryReserve(bytes: number): (() => void) | undefined
  /** The same, but waits until there is room. */
  wait(bytes: number, signal: AbortSignal): Promise<() => void>
}

export function createPendingBytes(maxBytes: number): PendingBytes {
  let pending = 0
  const waiting = new Set<() => void>()

  const take = (bytes: number): (() => void) => {
    pending += bytes
    let isReleased = false
    return () => {
      if (isReleased) return
      isReleased = true
      pending -= bytes
      if (waiting.size > 0) for (const retry of [...waiting]) retry()
    }
  }
  // A request larger than the bound still passes when nothing else is pending.
  const hasRoom = (bytes: number): boolean => pending === 0 || pending + bytes <= maxBytes

  return {
    get bytes() {
      return pending
    },
    reserve(bytes) {
      if (hasRoom(bytes)) return take(bytes)
      throw new SluiceError('overloaded')
    },
    tryReserve: (bytes) => (hasRoom(bytes) ? take(bytes) : undefined),
    wait: (bytes, signal) =>
      new Promise((resolve, reject) => {
        const stop = (): void => {
          waiting.delete(retry)
          reject(new SluiceError('closed'))
        }
        const retry = (): void => {
          if (!hasRoom(bytes)) return
          waiting.delete(retry)
          signal.removeEventListener('abort', stop)
          resolve(take(bytes))
        }
        waiting.add(retry)
        signal.addEventListener('abort', stop, { once: true })
        retry()
      }),
  }
}
