import { SluiceError } from '@sluice/protocol'
import { type BatchBounds, measureBatch, type Pending, type Receipt } from './batch.ts'
import { type DeliverParts, deliver } from './deliver.ts'
import { followSignal } from './follow-signal.ts'
import type { ProducerPosition } from './producer.ts'

/** Publishes the events of one producer in their order, each of them stored once. */
export interface Publisher<Event> {
  /**
   * Resolves when the event is durable. Events that are sent meanwhile leave together with the next request. Rejects
   * with `events_refused` for this event alone; any other error ends the publisher. Whoever does not wait for the
   * promise learns of a failure from `flush` or `close`.
   */
  send(event: Event): Promise<Receipt>
  /** Resolves when there is room: less than `maxPendingBytes` is not yet durable. */
  ready(): Promise<void>
  /** Resolves when everything sent so far is settled; rejects with the first failure since the last `flush`. */
  flush(): Promise<void>
  /** Takes no more events, then does what `flush` does. */
  close(): Promise<void>
}

export interface PublisherParts extends Omit<DeliverParts, 'signal'> {
  readonly signal: AbortSignal | undefined
  readonly bounds: BatchBounds
  readonly maxPendingBytes: number
  /** Asked once, before the first event leaves. */
  start(signal: AbortSignal): Promise<ProducerPosition>
}

const encoder = new TextEncoder()

export function createPublisher<Event>(parts: PublisherParts): Publisher<Event> {
  const { controller, release } = followSignal(parts.signal)
  const deliverParts: DeliverParts = { ...parts, signal: controller.signal }
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
          unreported ??= { error }
          reject(error)
        },
      })
    })
    promise.catch(() => {}) // told by flush() to those who do not wait for this one
    running ??= run()
    return promise
  }

  async function run(): Promise<void> {
    try {
      await null // what is sent in the same turn leaves together
      let maxEvents = parts.bounds.maxEvents
      while (queue.length > 0) {
        position ??= await parts.start(controller.signal)
        const count = measureBatch(queue, { ...parts.bounds, maxEvents })
        const { position: next, rest } = await deliver(queue.slice(0, count), position, deliverParts)
        position = next
        queue = [...rest, ...queue.slice(count)]
        // A batch that comes back whole was too large; smaller ones find the event that is.
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
      if (isClosed) return fail(new SluiceError('closed', { message: 'The publisher is closed.' }))
      try {
        return enqueue(JSON.stringify(event))
      } catch (error) {
        return fail(error) // not JSON, such as a cycle
      }
    },
    async ready() {
      while (!hasRoom()) await new Promise<void>((resolve) => waiters.push(resolve))
    },
    flush,
    async close() {
      isClosed = true
      await flush()
      release()
    },
  }
}
