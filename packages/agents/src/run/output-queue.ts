import { type RunOutput, SluiceError } from '@sluice/protocol'

/** What waits between an agent and the one who reads it. */
export interface OutputQueue {
  /** Resolves when there is room for more; at once when the output goes nowhere. */
  push(output: RunOutput): Promise<void>
  /** Nothing follows: the reader gets what waits, then the end. */
  close(): void
  /** Drops what waits and ends. */
  discard(): void
  /** To be iterated once. */
  readonly outputs: AsyncIterable<RunOutput>
  /** The reader has seen the end, or went away. */
  readonly drained: Promise<void>
}

export function createOutputQueue(maxWaiting: number): OutputQueue {
  const waiting: RunOutput[] = []
  const senders: (() => void)[] = []
  let reader: (() => void) | undefined
  let isClosed = false
  let isLeft = false
  let isTaken = false
  let observe = (): void => {}
  const drained = new Promise<void>((resolve) => {
    observe = resolve
  })

  const release = (): void => {
    while (senders.length > 0 && (isClosed || isLeft || waiting.length < maxWaiting)) senders.shift()?.()
  }

  const wake = (): void => {
    const woken = reader
    reader = undefined
    woken?.()
  }

  const end = (): void => {
    isClosed = true
    release()
    wake()
  }

  const leave = (): void => {
    isLeft = true
    waiting.length = 0
    release()
    observe()
  }

  async function* read(): AsyncGenerator<RunOutput, void, undefined> {
    try {
      for (;;) {
        const next = waiting.shift()
        if (next !== undefined) {
          release()
          yield next
        } else if (isClosed || isLeft) return
        else
          await new Promise<void>((resolve) => {
            reader = resolve
          })
      }
    } finally {
      leave()
    }
  }

  return {
    async push(output) {
      if (isClosed || isLeft) return
      waiting.push(output)
      wake()
      if (waiting.length >= maxWaiting) await new Promise<void>((resolve) => senders.push(resolve))
    },
    close: end,
    discard() {
      waiting.length = 0
      end()
    },
    outputs: {
      [Symbol.asyncIterator]() {
        if (isTaken) throw new SluiceError('usage', { message: 'The outputs of a run are read once.' })
        isTaken = true
        const iterator = read()
        return {
          next: () => iterator.next(),
          async return() {
            // Before its first step a generator runs nothing of its own.
            leave()
            wake()
            return { done: true, value: undefined }
          },
        }
      },
    },
    drained,
  }
}
