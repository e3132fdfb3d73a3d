import { SluiceError } from '@sluice/protocol'
import type { Receipt } from './batch.ts'
import type { DeliverParts } from './deliver.ts'
import type { DialectName, EventOf } from './frames.ts'
import { insist } from './insist.ts'
import { orAborted } from './or-aborted.ts'
import { assertProducerName, claimProducer, createProducerName, type ProducerPosition } from './producer.ts'
import { createPublisher, type Publisher } from './publisher.ts'
import type { Abortable } from './sessions.ts'

export interface PublishOptions<D extends DialectName> extends Abortable {
  /** The contract of the events. Without it the gateway recognises it by the first one. */
  readonly dialect?: D
}

export interface PublisherOptions<D extends DialectName> extends PublishOptions<D> {
  /**
   * Under which name events are numbered. Default: a name of its own. A name alone takes over from whoever had it
   * before and fences that one off. With `epoch` numbering begins at `seq` (default 0), so that a process that sends
   * everything again after a crash stores nothing twice.
   */
  readonly producer?: string | { readonly name: string; readonly epoch: number; readonly seq?: number }
  /** Of one request. Default and at most 100: a gateway names no more refused events than that. */
  readonly maxBatchEvents?: number
  /** Of one request; a larger event goes alone. Default 512 KiB. */
  readonly maxBatchBytes?: number
  /** What may be under way before `ready` waits. Default 4 MiB. */
  readonly maxPendingBytes?: number
  /** How long an answer may take before the request is made again. Default 60 s. */
  readonly timeoutMs?: number
}

export type PublishingParts = Omit<DeliverParts, 'session' | 'dialect' | 'signal' | 'timeoutMs'>

export interface Publishing {
  publisher<D extends DialectName>(session: string, options?: PublisherOptions<D>): Publisher<EventOf<D>>
  publish<D extends DialectName>(
    session: string,
    events: Iterable<EventOf<D>> | AsyncIterable<EventOf<D>>,
    options?: PublishOptions<D>,
  ): Promise<Receipt | undefined>
}

const largestBatch = 100
/** A session takes 64 numbering producers, so single calls to the same one share a publisher. */
const maxShared = 256

export function createPublishing(parts: PublishingParts): Publishing {
  const shared = new Map<string, Publisher<unknown>>()

  function start(session: string, producer: PublisherOptions<DialectName>['producer']) {
    return async (signal: AbortSignal): Promise<ProducerPosition> => {
      if (producer === undefined) return { name: createProducerName(), epoch: 0, seq: 0 }
      if (typeof producer !== 'string') return { seq: 0, ...producer }
      // Asking twice, because an answer was lost, only leaves an epoch out.
      return insist(() => claimProducer(parts.requester, session, producer, signal), { ...parts, signal })
    }
  }

  function publisher<Event>(session: string, options: PublisherOptions<DialectName> = {}): Publisher<Event> {
    const { producer, dialect, signal, maxBatchEvents = largestBatch } = options
    if (producer !== undefined) assertProducerName(typeof producer === 'string' ? producer : producer.name)
    return createPublisher({
      ...parts,
      session,
      dialect,
      signal,
      timeoutMs: options.timeoutMs ?? 60_000,
      maxPendingBytes: options.maxPendingBytes ?? 4 * 1024 * 1024,
      bounds: {
        maxEvents: Math.min(Math.max(maxBatchEvents, 1), largestBatch),
        maxBytes: options.maxBatchBytes ?? 512 * 1024,
      },
      start: start(session, producer),
    })
  }

  /** The publisher of single calls; the one that was not used for the longest time makes room for another. */
  function share(session: string, dialect: string | undefined): Publisher<unknown> {
    const key = JSON.stringify([session, dialect])
    const found = shared.get(key) ?? publisher(session, dialect === undefined ? {} : { dialect })
    shared.delete(key)
    shared.set(key, found)
    const [oldest] = shared.keys()
    if (shared.size > maxShared && oldest !== undefined) shared.delete(oldest)
    return found
  }

  function unshare(gone: Publisher<unknown>): void {
    for (const [key, each] of shared) if (each === gone) shared.delete(key)
  }

  async function publish(
    session: string,
    events: Iterable<unknown> | AsyncIterable<unknown>,
    { dialect, signal }: PublishOptions<DialectName> = {},
  ): Promise<Receipt | undefined> {
    const to = share(session, dialect)
    let settled: Promise<unknown> = Promise.resolve()
    let receipt: Receipt | undefined
    let refusal: SluiceError | undefined
    let failure: { readonly error: unknown } | undefined
    let index = 0
    for await (const event of events) {
      signal?.throwIfAborted()
      await orAborted(to.ready(), signal)
      if (failure !== undefined) break
      const place = index++
      const sent = to.send(event).then(
        (given) => {
          receipt = given
        },
        (error: unknown) => {
          if (isRefusal(error)) refusal ??= atPlace(error, place)
          else failure ??= { error }
        },
      )
      settled = Promise.all([settled, sent]).then(() => {}) // nothing kept of those that are settled
    }
    await orAborted(settled, signal)
    if (failure !== undefined) {
      unshare(to)
      throw failure.error
    }
    if (refusal !== undefined) throw refusal
    return receipt
  }

  return { publisher, publish }
}

const isRefusal = (error: unknown): error is SluiceError =>
  error instanceof SluiceError && error.details?.['rule'] !== undefined

function atPlace(error: SluiceError, index: number): SluiceError {
  const { message, details } = error
  return new SluiceError(error.code, { message, details: { ...details, index } })
}
