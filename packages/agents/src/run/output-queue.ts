import { type RunOutput, SluiceError } from '@sluice/protocol'

/** The outputs that wait between an agent and its reader. */
export interface OutputQueue {
  /** Resolves when there is room for more; immediately if the output is dropped. */
  push(output: RunOutput): Promise<void>
  /** Ends the queue: the reader gets what waits, then the end. */
  close(): void
  /** Drops what waits, and ends the queue. */
  discard(): void
  /** Can be iterated once; after that it throws `usage`. */
  readonly outputs: AsyncIterable<RunOutput>
  /** Resolves when the reader has seen the end, or has left. */
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
            // return() on a generator before its first step does not run its `finally`.
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
