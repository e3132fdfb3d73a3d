import { type Clock, type Entry, formatCursor, SluiceError } from '@sluice/protocol'
import { type Batch, encodeEntries, toBytes } from './batch.ts'
import type { Hub, Waiter } from './hub.ts'
import { heldUntil } from './joiner.ts'
import { cursorOf, flushPosition, type Position, type Stepped, type ViewSpec } from './position.ts'
import type { Follower, View } from './view.ts'
import type { WireFormat } from './wire-format.ts'

/** Which part of a batch a slice is. */
export interface Slice {
  readonly isFirst: boolean
  readonly isLast: boolean
}

/** The socket of a subscriber. */
export interface SubscriberConnection {
  readonly format: WireFormat
  /**
   * Writes a batch, or a slice of one; false when no more may be written until `drained` is called. The slices of a batch
   * come one behind the other, whatever happens in between.
   */
  write(bytes: Buffer, slice?: Slice): boolean
  /** True while others who share the socket are in the middle of a batch; `drained` is called when they are done. */
  isBusy?(): boolean
  /** Tells that the connection lives; `cursor` is given when it moved without a frame. */
  heartbeat(cursor: string | undefined): void
  /** The reader has everything that there will ever be (`ended`), or all that it asked for. */
  finish(done: { readonly cursor: string; readonly ended: boolean }): void
  /** Something broke; the reader comes back with its cursor. */
  reset(): void
}

/** What a subscriber reads. */
export interface Readable {
  readonly hub: Hub
  /** The last durable entry. */
  readonly lastSeq: number
  readonly isEnded: boolean
  read(fromSeq: number, maxBytes: number): Promise<readonly Entry[]>
}

export interface SubscriberOptions {
  readonly session: Readable
  readonly spec: ViewSpec
  readonly connection: SubscriberConnection
  readonly clock: Clock
  readonly sliceBytes: number
  /** Where it joined, and the frames that come first. */
  readonly entered: Stepped
  /** Reading ends behind this entry; undefined reads on. */
  readonly stopAt?: number
  readonly onDelivered: (frames: number, bytes: number) => void
  readonly onClosed: () => void
}

/** One reader of one session. It costs at most one slice beyond its socket, however slow it is. */
export interface Subscriber {
  start(): void
  /** The socket takes more. */
  drained(): void
  close(): void
  readonly isStalled: boolean
  /** Since when nothing could be written, ms since 1970. */
  readonly stalledSince: number | undefined
  /** How many entries it is behind. */
  readonly lag: number
  readonly cursor: string
  /** Sends a heartbeat if nothing was sent since `before`. */
  beat(before: number): void
  /** Lets go of what is kept for a reader who has taken nothing since `before`. */
  trim(before: number): void
}

/** What is kept for a reader who stays stalled is not larger than this; a larger frame is made again when it goes on. */
const maxKeptBytes = 256 * 1024

export function createSubscriber(options: SubscriberOptions): Subscriber {
  const { session, spec, connection, clock, sliceBytes } = options
  const { hub } = session
  let position: Position = options.entered.position
  /** A batch of which only a part is written. */
  let current: { readonly batch: Batch; offset: number } | undefined
  /** So many bytes behind `position` are written already. */
  let skip = 0
  let view: View | undefined
  let isWaiting = false
  let isReading = false
  let isClosed = false
  let stalledSince: number | undefined
  let lastSentAt = clock.now()
  let movedSilently = false

  const write = (bytes: Buffer, slice?: Slice): void => {
    lastSentAt = clock.now()
    if (!connection.write(bytes, slice)) stalledSince ??= lastSentAt
  }

  /** Writes what is left of the current batch, a slice at a time. */
  const writeSlices = (): void => {
    while (current !== undefined && stalledSince === undefined) {
      if (connection.isBusy?.() === true) {
        stalledSince = clock.now()
        break
      }
      const { batch, offset } = current
      const end = Math.min(batch.bytes.length, offset + sliceBytes)
      const slice = batch.bytes.subarray(offset, end)
      // A slice keeps all of its buffer alive; of a large one it is copied.
      write(batch.bytes.length > maxKeptBytes ? Buffer.from(slice) : slice, {
        isFirst: offset === 0,
        isLast: end === batch.bytes.length,
      })
      current.offset = end
      if (end === batch.bytes.length) complete(batch)
    }
  }

  /** What is left of a large batch is made again when it is its turn. */
  const letGo = (): void => {
    if (current === undefined || current.batch.bytes.length <= maxKeptBytes) return
    if (current.batch.isUnique === true) return
    skip = current.offset
    position = current.batch.start
    current = undefined
  }

  const complete = (batch: Batch): void => {
    current = undefined
    skip = 0
    position = batch.end
    movedSilently = batch.frames === 0 && (movedSilently || batch.bytes.length === 0)
    options.onDelivered(batch.frames, batch.bytes.length)
  }

  const send = (batch: Batch): void => {
    if (batch.bytes.length === 0) {
      position = batch.end
      movedSilently = true
    } else if (connection.isBusy?.() === true) {
      stalledSince ??= clock.now()
      current = { batch, offset: skip }
      skip = 0
    } else if (skip === 0 && batch.bytes.length <= sliceBytes) {
      write(batch.bytes)
      complete(batch)
    } else {
      current = { batch, offset: skip }
      skip = 0
      writeSlices()
    }
  }

  const leave = (): void => {
    if (view !== undefined) hub.unfollow(view, follower)
    if (isWaiting) hub.unwait(waiter)
    view = undefined
    isWaiting = false
  }

  const finish = (ended: boolean): void => {
    close()
    connection.finish({ cursor: formatCursor(cursorOf(position)), ended })
  }

  const close = (): void => {
    if (isClosed) return
    isClosed = true
    leave()
    options.onClosed()
  }

  const hasReachedStop = (): boolean => options.stopAt !== undefined && position.seq >= options.stopAt

  /** Stands at the head: shares a view from here on, or waits. */
  const settleAtHead = (): void => {
    const isAll = session.isEnded && position.seq >= session.lastSeq
    if (isAll || hasReachedStop()) {
      finish(isAll)
      return
    }
    if (view !== undefined || isWaiting) return
    view = hub.follow(spec, connection.format, position, follower)
    if (view !== undefined) {
      position = view.head
      return
    }
    if (flushOwn()) {
      pump()
      return
    }
    isWaiting = true
    hub.wait(waiter, heldEnd())
  }

  /** Sends kept batches, joined to one write; false when they are no longer kept. */
  const sendKept = (from: View): boolean => {
    const first = from.batchFrom(position)
    if (first === undefined) return false
    if (skip > 0 || !connection.format.isJoinable || first.bytes.length >= sliceBytes) {
      send(first)
      return true
    }
    const parts: Buffer[] = []
    let bytes = 0
    let frames = 0
    let end = position
    for (let next: Batch | undefined = first; next !== undefined; next = from.batchFrom(end)) {
      if (bytes > 0 && bytes + next.bytes.length > sliceBytes) break
      parts.push(next.bytes)
      bytes += next.bytes.length
      frames += next.frames
      end = next.end
    }
    send({ start: position, end, bytes: Buffer.concat(parts, bytes), frames })
    return true
  }

  const pump = (): void => {
    while (!isClosed && stalledSince === undefined && !isReading) {
      if (current !== undefined) writeSlices()
      else if (
        hasReachedStop() ||
        (position.seq >= session.lastSeq && (view === undefined || position === view.head))
      ) {
        settleAtHead()
        return
      } else if (view === undefined || !sendKept(view)) {
        leave()
        void readOn()
      }
    }
  }

  const readOn = async (): Promise<void> => {
    isReading = true
    const { lastSeq } = session
    try {
      const entries = await session.read(position.seq + 1, sliceBytes)
      if (isClosed) return
      // What was there is gone: the session was deleted while this reader came to it.
      if (entries.length === 0 && position.seq < lastSeq) throw new SluiceError('session_deleted')
      const wanted =
        options.stopAt === undefined ? entries : entries.filter(({ seq }) => seq <= (options.stopAt ?? seq))
      for (const batch of encodeEntries(spec, connection.format, position, wanted, sliceBytes)) {
        if (stalledSince !== undefined || current !== undefined || isClosed) break
        send(batch)
      }
    } catch {
      if (!isClosed) {
        close()
        connection.reset()
      }
      return
    } finally {
      isReading = false
    }
    pump()
  }

  const follower: Follower = {
    // For a thousand readers this runs a thousand times a batch.
    take(batch, now) {
      if (stalledSince !== undefined || current !== undefined || isReading || position !== batch.start)
        return false
      const { bytes } = batch
      if (bytes.length === 0 || bytes.length > sliceBytes || connection.isBusy?.() === true) {
        send(batch)
        return false
      }
      position = batch.end
      lastSentAt = now
      movedSilently = false
      if (!connection.write(bytes)) stalledSince = now
      return true
    },
    end: () => pump(),
  }

  const heldEnd = (): number | undefined =>
    spec.coalescing === undefined || position.held === undefined
      ? undefined
      : heldUntil(spec.coalescing, position.held)

  /** Held text whose span is over leaves, as it does from a view. */
  const flushOwn = (): boolean => {
    const until = heldEnd()
    if (until === undefined || position.seq < session.lastSeq || !hub.isOver(until)) return false
    const { position: end, frames } = flushPosition(spec, position)
    send({
      start: position,
      end,
      bytes: toBytes(connection.format, frames),
      frames: frames.length,
      isUnique: true,
    })
    return true
  }

  const waiter: Waiter = {
    wake() {
      hub.unwait(waiter)
      isWaiting = false
      pump()
    },
  }

  return {
    start() {
      const { frames, position: start } = options.entered
      if (frames.length > 0)
        send({
          start,
          end: start,
          bytes: toBytes(connection.format, frames),
          frames: frames.length,
          isUnique: true,
        })
      pump()
    },
    drained() {
      stalledSince = undefined
      pump()
    },
    close,
    get isStalled() {
      return stalledSince !== undefined
    },
    get stalledSince() {
      return stalledSince
    },
    get lag() {
      return session.lastSeq - position.seq
    },
    get cursor() {
      return formatCursor(cursorOf(position))
    },
    trim(before) {
      if (stalledSince !== undefined && stalledSince <= before) letGo()
    },
    beat(before) {
      if (isClosed || stalledSince !== undefined || current !== undefined || lastSentAt > before) return
      lastSentAt = clock.now()
      connection.heartbeat(movedSilently ? formatCursor(cursorOf(position)) : undefined)
      movedSilently = false
    },
  }
}
