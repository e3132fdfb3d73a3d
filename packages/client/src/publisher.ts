import { SluiceError, toOneLine } from '@sluice/protocol'
import { type BatchBounds, measureBatch, type Pending, type Receipt } from './batch.ts'
import { type DeliverParts, deliver, toRefusal } from './deliver.ts'
import { followSignal } from './follow-signal.ts'
import type { ProducerPosition } from './producer.ts'

/** Publishes the events of one producer in their order, each of them stored once. */
export interface Publisher<Event> {
  /**
   * Resolves when the event is durable. Events that are sent in the meantime leave together with the next
   * request. Rejects with `events_refused` for this event alone, with the broken rule in `details.rule`; any
   * other error ends the publisher. A caller that does not await the promise learns of a failure from `flush`
   * or `close`.
   */
  send(event: Event): Promise<Receipt>
  /** The same for an event that is JSON text already: the gateway gets its bytes. Other text is refused. */
  sendText(text: string): Promise<Receipt>
  /** Resolves when there is room: less than `maxPendingBytes` is not yet durable. */
  ready(): Promise<void>
  /**
   * Resolves when everything sent so far is settled; rejects with the first failure since the last `flush`.
   */
  flush(): Promise<void>
  /** Refuses further events, then does the same as `flush`. */
  close(): Promise<void>
  /** Counts what the gateway has answered so far. */
  readonly tally: PublishTally
}

export interface PublishTally {
  readonly stored: number
  /** Events that the gateway already had. */
  readonly duplicates: number
  readonly refused: number
  /** On stored events, including those that no receipt lists. */
  readonly findings: number
}

export interface PublisherParts extends Omit<DeliverParts, 'signal' | 'onAnswer'> {
  readonly signal: AbortSignal | undefined
  readonly bounds: BatchBounds
  readonly maxPendingBytes: number
  /** Called once, before the first event leaves. */
  start(signal: AbortSignal): Promise<ProducerPosition>
}

const encoder = new TextEncoder()

export function createPublisher<Event>(parts: PublisherParts): Publisher<Event> {
  const { controller, release } = followSignal(parts.signal)
  const tally = { stored: 0, duplicates: 0, refused: 0, findings: 0 }
  const deliverParts: DeliverParts = {
    ...parts,
    signal: controller.signal,
    onAnswer({ accepted = 0, duplicates = 0, findings = [], findingsCount = findings.length }) {
      tally.stored += accepted
      tally.duplicates += duplicates
      tally.findings += findingsCount
    },
  }
  let queue: Pending[] = []
  let pendingBytes = 0
  let position: ProducerPosition | undefined
  let running: Promise<void> | undefined
  let isClosed = false
  let broken: { readonly error: unknown } | undefined
  let unreported: { readonly error: unknown } | undefined
  let waiters: (() => void)[] = []

  const hasRoom = () => pendingBytes < parts.maxPendingBytes || broken !== undefined
  const wakeWaiters = () => {
    if (!hasRoom()) return
    for (const wake of waiters) wake()
    waiters = []
  }

  function enqueue(text: string): Promise<Receipt> {
    const byteLength = encoder.encode(text).length
    const promise = new Promise<Receipt>((resolve, reject) => {
      const settled = () => {
        pendingBytes -= byteLength
        wakeWaiters()
      }
      pendingBytes += byteLength
      queue.push({
        text,
        byteLength,
        resolve(receipt) {
          settled()
          resolve(receipt)
        },
        reject(error) {
          settled()
          if (isRefusal(error)) tally.refused += 1
          unreported ??= { error }
          reject(error)
        },
      })
    })
    promise.catch(() => {}) // flush() reports it to a caller that does not await this one
    running ??= run()
    return promise
  }

  async function run(): Promise<void> {
    try {
      await null // events sent in the same turn leave together
      let maxEvents = parts.bounds.maxEvents
      while (queue.length > 0) {
        position ??= await parts.start(controller.signal)
        const count = measureBatch(queue, { ...parts.bounds, maxEvents })
        const { position: next, rest } = await deliver(queue.slice(0, count), position, deliverParts)
        position = next
        queue = [...rest, ...queue.slice(count)]
        // A batch returned in full was too large; smaller batches isolate the event that is too large.
        maxEvents = rest.length === count ? Math.ceil(count / 2) : parts.bounds.maxEvents
      }
    } catch (error) {
      breakDown(error)
    } finally {
      running = undefined
      if (isClosed) release()
    }
  }

  function breakDown(error: unknown): void {
    broken = { error }
    const left = queue
    queue = []
    for (const pending of left) pending.reject(error)
    wakeWaiters()
    release()
  }

  function fail(error: unknown): Promise<never> {
    unreported ??= { error }
    const promise = Promise.reject(error)
    promise.catch(() => {}) // as in enqueue()
    return promise
  }

  async function flush(): Promise<void> {
    await running
    const failure = unreported
    unreported = undefined
    if (failure !== undefined) throw failure.error
  }

  return {
    send(event) {
      if (broken !== undefined) return fail(broken.error)
      if (isClosed) return fail(closed())
      try {
        return enqueue(JSON.stringify(event))
      } catch (error) {
        return fail(error) // not JSON, such as a cycle
      }
    },
    sendText(text) {
      if (broken !== undefined) return fail(broken.error)
      if (isClosed) return fail(closed())
      const line = toOneLine(text)
      // Among lines, the gateway refuses one that is not JSON, but ignores a blank one. In an array, text
      // that is not JSON would break the whole body.
      const isSendable = parts.form === 'lines' ? line.trim() !== '' : isJson(line)
      if (isSendable) return enqueue(line)
      tally.refused += 1
      return fail(toRefusal({ code: 'not_json', message: 'This is not one JSON value.' }))
    },
    async ready() {
      while (!hasRoom()) await new Promise<void>((resolve) => waiters.push(resolve))
    },
    flush,
    tally,
    async close() {
      isClosed = true
      await flush()
      release()
    },
  }
}

function closed(): SluiceError {
  return new SluiceError('closed', { message: 'The publisher is closed.' })
}

/** Whether an error is about one event alone. */
export function isRefusal(error: unknown): error is SluiceError {
  return error instanceof SluiceError && error.details?.['rule'] !== undefined
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}
