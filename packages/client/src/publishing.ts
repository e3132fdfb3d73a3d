import { type Backoff, type BackoffOptions, isRetryable, omitUndefined, SluiceError } from '@sluice/protocol'
import type { Receipt } from './batch.ts'
import type { DeliverParts } from './deliver.ts'
import type { DialectName, EventOf } from './frames.ts'
import { insist } from './insist.ts'
import { orAborted } from './or-aborted.ts'
import { assertProducerName, claimProducer, createProducerName, type ProducerPosition } from './producer.ts'
import { createPublisher, isRefusal, type Publisher } from './publisher.ts'
import type { Abortable } from './sessions.ts'

export interface PublishOptions<D extends DialectName> extends Abortable {
  /** The dialect of the events. Without it the gateway detects it from the first one. */
  readonly dialect?: D
}

export interface PublisherOptions<D extends DialectName> extends PublishOptions<D> {
  /**
   * The name under which events are numbered. Default: a random one. A name alone takes over from the
   * publisher that had it before, which is fenced off. With `epoch`, numbering begins at `seq` (default 0)
   * and refused events take a number too, so that a process that sends everything again after a crash stores
   * nothing twice. When an answer is lost, the gateway then counts refused events as duplicates.
   */
  readonly producer?: string | { readonly name: string; readonly epoch: number; readonly seq?: number }
  /** Per request. Default and maximum 100: a gateway lists at most 100 refused events. */
  readonly maxBatchEvents?: number
  /** Per request; a larger event goes alone. Default 512 KiB. */
  readonly maxBatchBytes?: number
  /** How much may be pending before `ready` waits. Default 4 MiB. */
  readonly maxPendingBytes?: number
  /** How long an answer may take before the request is repeated. Default 60 s. */
  readonly timeoutMs?: number
  /**
   * Ignores the session that events name; needs `dialect`. By default the gateway refuses events of other
   * sessions.
   */
  readonly names?: 'ignore'
  /** The waits between attempts. Default: up to 1 s at first, and up to 30 s later. */
  readonly backoff?: Pick<BackoffOptions, 'baseMs' | 'maxMs'>
  /** Ends the publisher when a request has failed for this long. Default: never. */
  readonly maxOutageMs?: number
  /** Called when a request fails for the first time and will be repeated. Throws to end the publisher. */
  readonly onOutage?: (error: SluiceError) => void
}

export interface PublishingParts extends Pick<DeliverParts, 'requester' | 'clock' | 'page'> {
  createBackoff(options?: BackoffOptions): Backoff
}

export interface Publishing {
  publisher<D extends DialectName>(session: string, options?: PublisherOptions<D>): Publisher<EventOf<D>>
  publish<D extends DialectName>(
    session: string,
    events: Iterable<EventOf<D>> | AsyncIterable<EventOf<D>>,
    options?: PublishOptions<D>,
  ): Promise<Receipt | undefined>
}

const largestBatch = 100
/** A session accepts 64 producers, so single calls to the same session share a publisher. */
const maxShared = 256

export function createPublishing(parts: PublishingParts): Publishing {
  const shared = new Map<string, Publisher<unknown>>()

  function start(session: string, producer: PublisherOptions<DialectName>['producer']) {
    return async (signal: AbortSignal): Promise<ProducerPosition> => {
      if (producer === undefined) return { name: createProducerName(), epoch: 0, seq: 0 }
      if (typeof producer !== 'string') return { seq: 0, ...producer }
      // Claiming twice, because an answer was lost, only skips an epoch.
      const claim = () => claimProducer(parts.requester, { session, name: producer }, signal)
      return insist(claim, { ...parts, signal })
    }
  }

  function publisher<Event>(session: string, options: PublisherOptions<DialectName> = {}): Publisher<Event> {
    const { producer, dialect, signal, names, maxBatchEvents = largestBatch } = options
    const { backoff, maxOutageMs = Number.POSITIVE_INFINITY, onOutage } = options
    if (producer !== undefined) assertProducerName(typeof producer === 'string' ? producer : producer.name)
    return createPublisher({
      ...parts,
      session,
      dialect,
      names,
      signal,
      form: typeof producer === 'object' ? 'lines' : 'array',
      createBackoff: () => parts.createBackoff(backoff),
      maxOutageMs,
      onFailure(error, { tries }) {
        if (tries === 1 && isRetryable(error)) onOutage?.(error)
      },
      timeoutMs: options.timeoutMs ?? 60_000,
      maxPendingBytes: options.maxPendingBytes ?? 4 * 1024 * 1024,
      bounds: {
        maxEvents: Math.min(Math.max(maxBatchEvents, 1), largestBatch),
        maxBytes: options.maxBatchBytes ?? 512 * 1024,
      },
      start: start(session, producer),
    })
  }

  /** The publisher of single calls; the least recently used one makes room for another. */
  function share(session: string, dialect: string | undefined): Publisher<unknown> {
    const key = JSON.stringify([session, dialect])
    const found = shared.get(key) ?? publisher(session, omitUndefined({ dialect }))
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
      settled = Promise.all([settled, sent]).then(() => {}) // keeps nothing of the settled ones
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

function atPlace(error: SluiceError, index: number): SluiceError {
  const { message, details } = error
  return new SluiceError(error.code, { message, details: { ...details, index } })
}
