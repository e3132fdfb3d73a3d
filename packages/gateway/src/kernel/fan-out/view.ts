import type { Clock, Entry } from '@sluice/protocol'
import { type Batch, type Encoding, encodeEntries, toBytes } from './batch.ts'
import { flushPosition, type Position, type ViewSpec } from './position.ts'
import type { RingBudget } from './ring-budget.ts'
import type { WireFormat } from './wire-format.ts'

/** A subscriber that reads a view at its head. */
export interface Follower {
  /**
   * Writes a new batch and returns true; or returns false, and writes and counts the batch itself when it
   * can.
   */
  take(batch: Batch, now: number): boolean
  /** Nothing follows. */
  end(): void
}

/** A session in one dialect and one wire format, encoded once for all followers. Keeps the last batches for slow ones. */
export interface View {
  readonly spec: ViewSpec
  readonly format: WireFormat
  readonly head: Position
  readonly followers: Set<Follower>
  /** Encodes the entries after its head and passes them to every follower. */
  publish(entries: readonly Entry[]): void
  /** Sends held text. */
  flush(): void
  /** The batch that begins at `position`, if it is still kept. */
  batchFrom(position: Position): Batch | undefined
  /** The same, joined with those after it up to `maxBytes` if the format allows it. */
  batchesFrom(position: Position, maxBytes: number): Batch | undefined
  /** Ends every follower, because the session has ended. */
  end(): void
  /** Frees the batches that it keeps. */
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
  /** Counts the frames and bytes that followers wrote immediately. */
  readonly delivered: (frames: number, bytes: number) => void
}

export function createView({ spec, format }: Encoding, start: Position, parts: ViewParts): View {
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
    const now = parts.clock.monotonic()
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
      const [first] = entries
      const next =
        first === undefined || first.seq > head.seq ? entries : entries.filter(({ seq }) => seq > head.seq)
      for (const batch of encodeEntries({ spec, format }, next, { start: head, maxBytes: limits.sliceBytes }))
        hand(batch)
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
    batchesFrom(position, maxBytes) {
      const first = ring.get(position)
      if (first === undefined || !format.isJoinable || first.bytes.length >= maxBytes) return first
      const parts: Buffer[] = []
      let bytes = 0
      let frames = 0
      let end = position
      for (let next: Batch | undefined = first; next !== undefined; next = ring.get(end)) {
        if (bytes > 0 && bytes + next.bytes.length > maxBytes) break
        parts.push(next.bytes)
        bytes += next.bytes.length
        frames += next.frames
        end = next.end
      }
      return { start: position, end, bytes: Buffer.concat(parts, bytes), frames }
    },
    close() {
      isClosed = true
      share.leave()
      drop()
    },
  }
}
