import type { Line } from './ingest-lines.ts'

/** Lines that gather while the ones before them are sent. */
export interface LineQueue {
  /** Resolves when there is room for more. Rejects with what sending failed with. */
  push(lines: readonly Line[]): Promise<void>
  /** Resolves when everything was sent, or rejects as above. */
  end(): Promise<void>
}

/** The answer of the gateway names at most so many refused lines. */
const maxBatchLines = 100
const maxBatchBytes = 1024 * 1024
const maxWaitingBytes = 4 * maxBatchBytes

/** Sends what was pushed in batches, one after another and in order, each as soon as the one before is done. */
export function createLineQueue(sendBatch: (lines: readonly Line[]) => Promise<void>): LineQueue {
  let waiting: Line[] = []
  let waitingBytes = 0
  let sending: Promise<void> | undefined
  let failure: { readonly error: unknown } | undefined
  let wake: (() => void) | undefined

  async function run(): Promise<void> {
    try {
      while (waiting.length > 0) {
        const count = measure(waiting)
        const batch = waiting.slice(0, count)
        waiting = waiting.slice(count)
        waitingBytes -= batch.reduce((sum, { text }) => sum + text.length, 0)
        await sendBatch(batch)
        wake?.()
      }
    } catch (error) {
      failure = { error }
      waiting = []
      wake?.()
    } finally {
      sending = undefined
    }
  }

  function throwFailure(): void {
    if (failure !== undefined) throw failure.error
  }

  return {
    async push(lines) {
      throwFailure()
      for (const line of lines) {
        waiting.push(line)
        waitingBytes += line.text.length
      }
      if (waiting.length > 0) sending ??= run()
      while (failure === undefined && waitingBytes > maxWaitingBytes)
        await new Promise<void>((resolve) => {
          wake = resolve
        })
      throwFailure()
    },
    async end() {
      await sending
      throwFailure()
    },
  }
}

function measure(lines: readonly Line[]): number {
  let bytes = 0
  let count = 0
  for (const { text } of lines) {
    bytes += text.length
    if (count > 0 && (count === maxBatchLines || bytes > maxBatchBytes)) break
    count += 1
  }
  return count
}
