import type { Finding } from '@sluice/protocol'

/** An event that was given to a publisher and is not yet known to be durable. */
export interface Pending {
  /** Its JSON text. */
  readonly text: string
  /** The length of the text in UTF-8. */
  readonly byteLength: number
  resolve(receipt: Receipt): void
  reject(error: unknown): void
}

/** What a publisher knows of a durable event. */
export interface Receipt {
  /** The last entry of the session when the gateway answered; the event is at or before it. */
  readonly cursor: string
  /** Rules that the event breaks, if any. A gateway lists at most 100 findings for each request. */
  readonly findings?: readonly Finding[]
}

export interface BatchBounds {
  readonly maxEvents: number
  readonly maxBytes: number
}

/**
 * How events travel. An array is stored whole or not at all, and refused events take no number. Lines are
 * stored one by one, and every line takes a number.
 */
export type BatchForm = 'array' | 'lines'

export const mediaTypes: Readonly<Record<BatchForm, string>> = {
  array: 'application/json',
  lines: 'application/x-ndjson',
}

/** How many of the first events of `queue` travel together: within the bounds, but at least one. */
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

/** The body of a request, with every event as it was given. */
export function encodeBatch(batch: readonly Pending[], form: BatchForm): string {
  if (form === 'array') return `[${batch.map(({ text }) => text).join(',')}]`
  return batch.map(({ text }) => `${text}\n`).join('')
}
