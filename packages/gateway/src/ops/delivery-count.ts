import type { Metrics, Transport } from './metrics.ts'

/** Counts deliveries. A count costs two additions; metrics get the sums when they are rendered. */
export interface DeliveryCount {
  of(transport: Transport, dialect: string): DeliveryCounter
  /** Adds the sums to the metrics. */
  flush(): void
}

export interface DeliveryCounter {
  add(frames: number, bytes: number): void
}

export function createDeliveryCount(metrics: Pick<Metrics, 'delivered'>): DeliveryCount {
  const counters = new Map<string, DeliveryCounter & { flush(): void }>()
  return {
    of(transport, dialect) {
      const key = `${transport} ${dialect}`
      const known = counters.get(key)
      if (known !== undefined) return known
      let frames = 0
      let bytes = 0
      const counter = {
        add: (moreFrames: number, moreBytes: number): void => {
          frames += moreFrames
          bytes += moreBytes
        },
        flush: (): void => {
          if (frames > 0 || bytes > 0) metrics.delivered({ transport, dialect, frames, bytes })
          frames = 0
          bytes = 0
        },
      }
      counters.set(key, counter)
      return counter
    },
    flush() {
      for (const counter of counters.values()) counter.flush()
    },
  }
}
