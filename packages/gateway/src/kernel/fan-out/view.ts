import type { Clock, Entry } from '@sluice/protocol'
import { type Batch, encodeEntries, toBytes } from './batch.ts'
import { flushPosition, type Position, type ViewSpec } from './position.ts'
import type { RingBudget } from './ring-budget.ts'
import type { WireFormat } from './wire-format.ts'

/** One who reads a view at its head. */
export interface Follower {
  /** Takes a new batch if it stands at its start, and says whether it did; otherwise it comes for it later. */
  take(batch: Batch, now: number): boolean
  /** Nothing more will come. */
  end(): void
}

/**
 * A session in one contract and one wire format, encoded once for all who read it at its head. The last batches are
 * kept for those who fall behind.
 */
export interface View {
  readonly spec: ViewSpec
  readonly format: WireFormat
  readonly head: Position
  readonly followers: Set<Follower>
  /** Encodes new entries and hands them to every follower. */
  publish(entries: readonly Entry[]): void
  /** Lets held text leave. */
  flush(): void
  /** The batch that begins at `position`, if it is still kept. */
  batchFrom(position: Position): Batch | undefined
  /** Tells every follower that the session has ended. */
  end(): void
  /** Gives its kept batches back. */
  close(): void
}

export interface ViewLimits {
  readonly sliceBytes: number
  readonly ringBytes: number
}

export interface ViewParts {
  readonly limits: ViewLimits
  readonly budget: RingBudget
  readonly clock: Clock
  /** Counts what all followers together took at once. */
  readonly delivered: (frames: number, bytes: number) => void
}

export function createView(spec: ViewSpec, format: WireFormat, start: Position, parts: ViewParts): View {
  const { limits, budget } = parts
  let head = start
  // By start, oldest first.
  const ring = new Map<Position, Batch>()
  let ringBytes = 0
  let isClosed = false
  const followers = new Set<Follower>()

  const drop = (): void => {
    budget.release(ringBytes)
    ring.clear()
    ringBytes = 0
  }

  const share = budget.join(() => {
    drop()
  })

  const keep = (batch: Batch): void => {
    ring.set(batch.start, batch)
    ringBytes += batch.bytes.length
    share.take(batch.bytes.length)
    for (const [start, { bytes }] of ring) {
      if (ringBytes <= limits.ringBytes) break
      ring.delete(start)
      ringBytes -= bytes.length
      budget.release(bytes.length)
    }
  }

  const hand = (batch: Batch): void => {
    if (isClosed) return
    head = batch.end
    keep(batch)
    const now = parts.clock.now()
    let taken = 0
    for (const follower of followers) if (follower.take(batch, now)) taken += 1
    if (taken > 0) parts.delivered(taken * batch.frames, taken * batch.bytes.length)
  }

  return {
    spec,
    format,
    get head() {
      return head
    },
    followers,
    publish(entries) {
      for (const batch of encodeEntries(spec, format, head, entries, limits.sliceBytes)) hand(batch)
    },
    flush() {
      const { position, frames } = flushPosition(spec, head)
      if (position === head) return
      hand({ start: head, end: position, bytes: toBytes(format, frames), frames: frames.length })
    },
    end() {
      for (const follower of followers) follower.end()
    },
    batchFrom: (position) => ring.get(position),
    close() {
      isClosed = true
      share.leave()
      drop()
    },
  }
}
