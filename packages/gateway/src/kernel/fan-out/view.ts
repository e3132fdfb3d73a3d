import type { Clock, Entry } from '@sluice/protocol'
import { type Batch, type Encoding, encodeEntries, toBytes } from './batch.ts'
import type { Follower } from './follower.ts'
import { createLaggards } from './laggards.ts'
import { flushPosition, type Position, type ViewSpec } from './position.ts'
import type { RingBudget } from './ring-budget.ts'
import type { WireFormat } from './wire-format.ts'

/**
 * A session in one dialect and one wire format, encoded once for all followers. While one of them is before the head,
 * keeps the last batches.
 */
export interface View {
  readonly spec: ViewSpec
  readonly format: WireFormat
  readonly head: Position
  /** Whether nobody follows it. */
  readonly isUnused: boolean
  /** Notes where a follower is. One before the head costs nothing until it continues, or until the view passes it. */
  place(follower: Follower): void
  leave(follower: Follower): void
  /** Encodes the entries after its head and passes them to every follower. */
  publish(entries: readonly Entry[]): void
  /** Sends held text. */
  flush(): void
  /**
   * The batch that begins at `position`, if it is still kept, joined with those after it up to `maxBytes` if
   * the format allows it.
   */
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

/** About the bytes of memory of a batch besides those that are sent: batches without frames must not add up either. */
const batchBytes = 256

export function createView({ spec, format }: Encoding, start: Position, parts: ViewParts): View {
  const { limits, budget } = parts
  let head = start
  // By start, oldest first.
  const ring = new Map<Position, Batch>()
  let ringBytes = 0
  let isClosed = false
  /** Those at the head. */
  const followers = new Set<Follower>()
  /** Those that stalled before it. */
  const laggards = createLaggards()

  const drop = (): void => {
    budget.release(ringBytes)
    ring.clear()
    ringBytes = 0
    laggards.passAll()
  }

  const share = budget.join(drop)

  const keep = (batch: Batch): void => {
    const added = batch.bytes.length + batchBytes
    ring.set(batch.start, batch)
    ringBytes += added
    share.take(added)
    for (const [start, { bytes }] of ring) {
      if (ringBytes <= limits.ringBytes) break
      ring.delete(start)
      ringBytes -= bytes.length + batchBytes
      budget.release(bytes.length + batchBytes)
      laggards.passFrom(start)
    }
  }

  /** Without followers before the head, nobody needs the batches. */
  const forget = (): void => {
    if (laggards.size === 0 && ring.size > 0) drop()
  }

  const place = (follower: Follower): void => {
    const { position } = follower
    if (position === head) {
      laggards.delete(follower)
      followers.add(follower)
      forget()
      return
    }
    followers.delete(follower)
    if (ring.has(position)) laggards.set(follower, position)
    else {
      laggards.delete(follower)
      follower.pass()
    }
  }

  const hand = (batch: Batch): void => {
    if (isClosed) return
    head = batch.end
    let isKept = laggards.size > 0
    if (isKept) keep(batch)
    const now = parts.clock.monotonic()
    let taken = 0
    for (const follower of followers) {
      if (follower.take(batch, now)) {
        taken += 1
        continue
      }
      if (follower.position === head) continue
      if (!isKept) keep(batch)
      isKept = true
      place(follower)
    }
    if (taken > 0) parts.delivered(taken * batch.frames, taken * batch.bytes.length)
  }

  return {
    spec,
    format,
    get head() {
      return head
    },
    get isUnused() {
      return followers.size === 0 && laggards.size === 0
    },
    place,
    leave(follower) {
      followers.delete(follower)
      laggards.delete(follower)
      forget()
    },
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
