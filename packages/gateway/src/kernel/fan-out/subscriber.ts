import { type Clock, type Cursor, type Entry, formatCursor, SluiceError } from '@sluice/protocol'
import { type Batch, encodeEntries, toBytes } from './batch.ts'
import {
  closeBatchWriter,
  createBatchWriter,
  isFree,
  releaseBatch,
  resumeBatch,
  sendBatch,
} from './batch-writer.ts'
import type { JoinSource } from './find-place.ts'
import type { Hub, Waiter } from './hub.ts'
import {
  cursorOf,
  enterAt,
  flushPosition,
  heldUntil,
  isParked,
  type Position,
  parkPosition,
  type Stepped,
  type ViewSpec,
} from './position.ts'
import type { SubscriberConnection } from './subscriber-connection.ts'
import type { ConnectedReader } from './subscribers.ts'
import type { Follower, View } from './view.ts'

/** The parts of a session that a subscriber reads. */
export interface Readable extends JoinSource {
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
  /** Where it joined. */
  readonly start: Position
  /** The last entry to read; without it, reading goes on until the session ends. */
  readonly stopAt?: number
  readonly onDelivered: (frames: number, bytes: number) => void
  readonly onClosed: () => void
}

/** One reader of one session. However slow it is, it costs at most one slice beyond its socket. */
export interface Subscriber extends ConnectedReader {
  /** Sends the frames for joining at `cursor`, then reads on. */
  start(frames: Stepped['frames'], cursor: Cursor): void
  /** The connection can be written to again. */
  drained(): void
  close(): void
  readonly isStalled: boolean
  readonly cursor: string
  trim(before: number): void
}

/**
 * Where the entries after the position come from. The writer knows what is written of the last batch, and
 * whether the connection stalls: a subscriber can stall in every state except `closed`.
 */
type State =
  /** From the log, which is read next. */
  | { readonly name: 'behind' }
  /** From the log, which is being read. */
  | { readonly name: 'reading' }
  /** From a view: as it encodes them, or from the batches that it stores. */
  | { readonly name: 'following'; readonly view: View }
  /** At the head, but with other held text than the view: the hub wakes it when there is more. */
  | { readonly name: 'waiting' }
  | { readonly name: 'closed' }

export function createSubscriber(options: SubscriberOptions): Subscriber {
  const { session, spec, connection, clock, sliceBytes, stopAt = Number.POSITIVE_INFINITY } = options
  const { hub } = session
  let state: State = { name: 'behind' }
  let position = options.start
  /** Where it joins, until the frames for joining are written. */
  let joining: Cursor | undefined
  /** Whether the position moved past entries without a frame since the last frame or heartbeat. */
  let hasMovedSilently = false

  const writer = createBatchWriter({
    connection,
    clock,
    sliceBytes,
    budget: hub.budget,
    onWritten(batch) {
      joining = undefined
      position = batch.end
      hasMovedSilently = false
      options.onDelivered(batch.frames, batch.bytes.length)
    },
  })

  const send = (batch: Batch): void => {
    if (batch.bytes.length > 0) sendBatch(writer, batch)
    else {
      position = batch.end
      hasMovedSilently = true
    }
  }

  const isClosed = (): boolean => state.name === 'closed'

  /** Enters a state, and leaves the view or the hub if the former one used it. */
  const enter = (next: State): void => {
    if (state.name === 'following') hub.unfollow(state.view, follower)
    if (state.name === 'waiting') hub.unwait(waiter)
    state = next
  }

  const close = (): void => {
    if (isClosed()) return
    enter({ name: 'closed' })
    closeBatchWriter(writer)
    options.onClosed()
  }

  const cursor = (): string => formatCursor(cursorOf(position))

  /** Sends frames that cannot be encoded again from a position. */
  const sendUnique = (frames: Stepped['frames'], end: Position): void =>
    send({
      start: position,
      end,
      bytes: toBytes(connection.format, frames),
      frames: frames.length,
      isUnique: true,
    })

  /** Sends held text whose span has ended, as a view does. */
  const flush = (until: number | undefined): boolean => {
    if (until === undefined || position.seq < session.lastSeq || !hub.isOver(until)) return false
    const flushed = flushPosition(spec, position)
    sendUnique(flushed.frames, flushed.position)
    return true
  }

  const isAtHead = (): boolean => {
    if (position.seq >= stopAt) return true
    // A view receives entries at the end of the turn in which they became durable.
    if (state.name === 'following') return position === state.view.head
    return position.seq >= session.lastSeq
  }

  /** At the head: finishes, follows a view, or waits. */
  const settleAtHead = (): void => {
    const ended = session.isEnded && position.seq >= session.lastSeq
    if (ended || position.seq >= stopAt) {
      close()
      connection.finish({ cursor: cursor(), ended })
      return
    }
    if (state.name === 'following' || state.name === 'waiting') return
    const view = hub.follow({ spec, format: connection.format }, position, follower)
    if (view !== undefined) {
      position = view.head
      state = { name: 'following', view }
      return
    }
    const until = heldUntil(spec, position)
    if (flush(until)) {
      pump()
      return
    }
    state = { name: 'waiting' }
    hub.wait(waiter, until)
  }

  /** Sends batches that a view stores; false if they are no longer stored. */
  const sendKept = (view: View): boolean => {
    // A batch that was released is sent again as it was.
    const isAgain = writer.unfinished !== undefined
    const batch = isAgain ? view.batchFrom(position) : view.batchesFrom(position, sliceBytes)
    if (batch !== undefined) send(batch)
    return batch !== undefined
  }

  /** Sends until the connection stalls, the head is reached, or the log has to be read. */
  const pump = (): void => {
    while (state.name !== 'closed' && state.name !== 'reading' && writer.stalledSince === undefined) {
      if (writer.unfinished?.type === 'kept') resumeBatch(writer)
      else if (isParked(position) || (joining !== undefined && writer.unfinished !== undefined))
        void joinAgain()
      else if (isAtHead()) {
        settleAtHead()
        return
      } else if (state.name !== 'following' || !sendKept(state.view)) void readOn()
    }
  }

  const readOn = async (): Promise<void> => {
    enter({ name: 'reading' })
    try {
      const { lastSeq } = session
      const entries = await session.read(position.seq + 1, sliceBytes)
      if (isClosed()) return
      if (entries.length === 0 && position.seq < lastSeq) throw new SluiceError('session_deleted')
      const wanted = entries.filter(({ seq }) => seq <= stopAt)
      for (const batch of encodeEntries({ spec, format: connection.format }, wanted, {
        start: position,
        maxBytes: sliceBytes,
      })) {
        if (!isFree(writer) || isClosed()) break
        send(batch)
      }
    } catch (error) {
      if (isClosed()) return
      close()
      connection.reset(error)
      return
    }
    if (isClosed()) return
    state = { name: 'behind' }
    pump()
  }

  /** Makes the state of the encoder, and frames for joining that were freed, again from the log. */
  const joinAgain = async (): Promise<void> => {
    enter({ name: 'reading' })
    try {
      const entered = await enterAt(spec, session, joining ?? cursorOf(position))
      if (isClosed()) return
      if (entered === undefined) throw new SluiceError('session_deleted')
      position = entered.position
      if (joining !== undefined) send(toJoinBatch(entered.frames))
    } catch (error) {
      if (isClosed()) return
      close()
      connection.reset(error)
      return
    }
    if (isClosed()) return
    state = { name: 'behind' }
    pump()
  }

  const toJoinBatch = (frames: Stepped['frames']): Batch => ({
    start: position,
    end: position,
    bytes: toBytes(connection.format, frames),
    frames: frames.length,
  })

  /** Frees the states of the encoder that only this subscriber holds. */
  const park = (): void => {
    if (state.name !== 'behind') return
    const { unfinished } = writer
    const end = unfinished?.type === 'kept' ? parkPosition(unfinished.batch.end) : undefined
    if (unfinished?.type === 'kept' && end !== undefined && joining === undefined)
      writer.unfinished = { ...unfinished, batch: { ...unfinished.batch, end } }
    position = parkPosition(position) ?? position
  }

  const follower: Follower = {
    // Runs once per reader and batch: a thousand times for a thousand readers.
    take(batch, now) {
      if (position !== batch.start || !isFree(writer)) return false
      const { bytes } = batch
      if (bytes.length === 0 || bytes.length > sliceBytes || connection.isBusy?.() === true) {
        send(batch)
        return false
      }
      position = batch.end
      hasMovedSilently = false
      writer.lastSentAt = now
      if (!connection.write(bytes)) writer.stalledSince = now
      return true
    },
    end: () => pump(),
  }

  const waiter: Waiter = {
    wake() {
      if (state.name === 'waiting') enter({ name: 'behind' })
      pump()
    },
  }

  return {
    start(frames, cursor) {
      if (frames.length > 0) {
        joining = cursor
        send(toJoinBatch(frames))
      }
      pump()
    },
    drained() {
      writer.stalledSince = undefined
      pump()
    },
    close,
    get isStalled() {
      return writer.stalledSince !== undefined
    },
    get stalledSince() {
      return writer.stalledSince
    },
    get lag() {
      return session.lastSeq - position.seq
    },
    get cursor() {
      return cursor()
    },
    trim(before) {
      releaseBatch(writer, before)
      if (writer.stalledSince !== undefined && writer.stalledSince <= before) park()
    },
    beat(before) {
      if (isClosed() || !isFree(writer) || writer.lastSentAt > before) return
      writer.lastSentAt = clock.monotonic()
      connection.heartbeat(hasMovedSilently ? cursor() : undefined)
      hasMovedSilently = false
    },
  }
}
