import type { Clock, Timer } from '@sluice/protocol'
import type { Transport } from '../../ops/metrics.ts'
import type { Subscriber } from './subscriber.ts'

/** A stream of the gateway, for those who look after all of them. */
export interface Enrolled {
  readonly transport: Transport
  readonly subscriber: Subscriber
  /** False: its credential no longer holds. */
  isAllowed(): boolean
  /** Breaks it off; the reader comes back with its cursor. */
  reset(): void
  /** The same, and tells the reader after how long to come back where it can be told. */
  drain(retryMs: number): void
}

export interface SubscribersOptions {
  readonly clock: Clock
  readonly heartbeatMs: number
  /** A peer that took no byte for so long is reset. */
  readonly stalledMs: number
}

/** All streams: sends heartbeats, resets those that took nothing for too long or may no longer read. */
export interface Subscribers {
  enrol(stream: Enrolled): () => void
  count(transport: Transport): number
  readonly stalled: number
  readonly maxLag: number
  streams(): Iterable<Enrolled>
  close(): void
}

/** Heartbeats are looked after this many times in one interval. */
const sweepsPerHeartbeat = 15

export function createSubscribers(options: SubscribersOptions): Subscribers {
  const { clock } = options
  const streams = new Set<Enrolled>()
  const sweepMs = Math.max(1, options.heartbeatMs / sweepsPerHeartbeat)

  const sweep = (): void => {
    const now = clock.now()
    for (const stream of [...streams]) {
      const { subscriber } = stream
      const { stalledSince } = subscriber
      if (!stream.isAllowed() || (stalledSince !== undefined && now - stalledSince >= options.stalledMs))
        stream.reset()
      else {
        subscriber.trim(now - sweepMs)
        subscriber.beat(now - options.heartbeatMs)
      }
    }
  }

  let timer: Timer
  const schedule = (): void => {
    timer = clock.after(sweepMs, () => {
      sweep()
      schedule()
    })
  }
  schedule()

  return {
    enrol(stream) {
      streams.add(stream)
      return () => {
        streams.delete(stream)
      }
    },
    count(transport) {
      let count = 0
      for (const stream of streams) if (stream.transport === transport) count += 1
      return count
    },
    get stalled() {
      let count = 0
      for (const { subscriber } of streams) if (subscriber.isStalled) count += 1
      return count
    },
    get maxLag() {
      let lag = 0
      for (const { subscriber } of streams) lag = Math.max(lag, subscriber.lag)
      return lag
    },
    streams: () => streams,
    close: () => timer.clear(),
  }
}
