import type { Clock, Timer } from '@sluice/protocol'
import type { Transport } from '../../ops/metrics.ts'

/** What all kinds of connected readers have in common. */
export interface ConnectedReader {
  /** Since when nothing could be written, in monotonic ms. */
  readonly stalledSince: number | undefined
  /** How many entries it has yet to receive. */
  readonly lag: number
  /** Sends a heartbeat if nothing was sent since `before`, in monotonic ms. */
  beat(before: number): void
  /** Frees memory of a reader that has stalled since `before`. Absent if it holds none. */
  trim?(before: number): void
}

/** A stream to one reader. */
export interface Enrolled {
  readonly transport: Transport
  readonly reader: ConnectedReader
  /** Whether its credential is still valid. */
  isAllowed(): boolean
  /** Resets the connection; the reader reconnects with its cursor. */
  reset(): void
  /** The same, and asks the reader to reconnect after `retryMs` if the transport can. */
  drain(retryMs: number): void
}

export interface SubscribersOptions {
  readonly clock: Clock
  readonly heartbeatMs: number
  /** A reader that accepts nothing for this long is reset. */
  readonly stalledMs: number
}

/** All streams. Sends heartbeats, and resets readers that have stalled for too long or whose credential expired. */
export interface Subscribers {
  /** Includes a stream until the returned function is called. */
  enrol(stream: Enrolled): () => void
  count(transport: Transport): number
  readonly stalled: number
  readonly maxLag: number
  streams(): Iterable<Enrolled>
  close(): void
}

/** How often all streams are checked in one heartbeat interval. */
const sweepsPerHeartbeat = 15

export function createSubscribers(options: SubscribersOptions): Subscribers {
  const { clock } = options
  const streams = new Set<Enrolled>()
  const sweepMs = Math.max(1, options.heartbeatMs / sweepsPerHeartbeat)

  const sweep = (): void => {
    const now = clock.monotonic()
    for (const stream of [...streams]) {
      const { reader } = stream
      const { stalledSince } = reader
      if (!stream.isAllowed() || (stalledSince !== undefined && now - stalledSince >= options.stalledMs))
        stream.reset()
      else {
        reader.trim?.(now - sweepMs)
        reader.beat(now - options.heartbeatMs)
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
      for (const { reader } of streams) if (reader.stalledSince !== undefined) count += 1
      return count
    },
    get maxLag() {
      let lag = 0
      for (const { reader } of streams) lag = Math.max(lag, reader.lag)
      return lag
    },
    streams: () => streams,
    close: () => timer.clear(),
  }
}
