/** An event that was given to a publisher and is not yet known to be durable. */
export interface Pending {
  /** Its JSON text. */
  readonly text: string
  /** Of the text in UTF-8. */
  readonly byteLength: number
  resolve(receipt: Receipt): void
  reject(error: unknown): void
}

/** What a publisher knows of a durable event. */
export interface Receipt {
  /** The last entry of the session when the gateway answered; the event is at or before it. */
  readonly cursor: string
}

export interface BatchBounds {
  readonly maxEvents: number
  readonly maxBytes: number
}

/** How many of the first `queue` go together: within the bounds, but always one. */
export function measureBatch(queue: readonly Pending[], { maxEvents, maxBytes }: BatchBounds): number {
  let bytes = 0
  let count = 0
  for (const { byteLength } of queue) {
    bytes += byteLength
    if (count > 0 && (count === maxEvents || bytes > maxBytes)) break
    count += 1
  }
  return count
}

/** A JSON array of the events, each as it was given. */
export function encodeBatch(batch: readonly Pending[]): string {
  return `[${batch.map(({ text }) => text).join(',')}]`
}
