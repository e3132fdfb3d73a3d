import type { Subscriber } from '../kernel/fan-out/subscriber.ts'
import type { SubscriberConnection } from '../kernel/fan-out/subscriber-connection.ts'
import type { WireFormat } from '../kernel/fan-out/wire-format.ts'

/** A peer that accepts a few bytes, and then nothing until drain() is called. */
export interface SlowConnection extends SubscriberConnection {
  /** What it received, in order. */
  readonly chunks: readonly Buffer[]
  /** The same, with the slices of each batch joined. */
  readonly messages: readonly string[]
  readonly bytes: Buffer
  readonly text: string
  /** The most bytes that ever waited for it. */
  readonly maxWaiting: number
  readonly heartbeats: readonly (string | undefined)[]
  readonly finished: { readonly cursor: string; readonly ended: boolean } | undefined
  readonly isReset: boolean
  /** Frees the socket; calls `subscriber.drained()` if the subscriber was stalled. */
  drain(subscriber: Subscriber): void
}

export function createSlowConnection(format: WireFormat, capacityBytes: number): SlowConnection {
  const chunks: Buffer[] = []
  const messages: string[] = []
  let slices: Buffer[] = []
  const heartbeats: (string | undefined)[] = []
  let waiting = 0
  let maxWaiting = 0
  let finished: SlowConnection['finished']
  let isReset = false
  return {
    format,
    write(bytes, slice) {
      if (isReset || finished !== undefined) throw new Error('written to after the end')
      if (waiting >= capacityBytes) throw new Error('written to although it is full')
      if ((slice?.isFirst ?? true) !== (slices.length === 0))
        throw new Error('slices of two batches are mixed')
      chunks.push(Buffer.from(bytes))
      slices.push(Buffer.from(bytes))
      if (slice?.isLast ?? true) {
        messages.push(Buffer.concat(slices).toString())
        slices = []
      }
      waiting += bytes.length
      maxWaiting = Math.max(maxWaiting, waiting)
      return waiting < capacityBytes
    },
    heartbeat: (cursor) => {
      heartbeats.push(cursor)
    },
    finish(done) {
      finished = done
    },
    reset() {
      isReset = true
    },
    drain(subscriber) {
      waiting = 0
      if (subscriber.isStalled) subscriber.drained()
    },
    chunks,
    messages,
    heartbeats,
    get bytes() {
      return Buffer.concat(chunks)
    },
    get text() {
      return Buffer.concat(chunks).toString()
    },
    get maxWaiting() {
      return maxWaiting
    },
    get finished() {
      return finished
    },
    get isReset() {
      return isReset
    },
  }
}
