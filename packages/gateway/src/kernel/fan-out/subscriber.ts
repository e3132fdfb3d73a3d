import { setImmediate } from 'node:timers/promises'
import type { LogRecord } from '@sluice/log'
import { type Clock, type Cursor, formatCursor, type OutFrame, SluiceError } from '@sluice/protocol'
import { type Batch, encodeEntries, toBytes } from './batch.ts'
import { createBatchWriter, isFree, releaseBatch, resumeBatch, sendBatch } from './batch-writer.ts'
import { type CopiedText, copiedTextAt, copyRecords } from './copy-records.ts'
import type { Follower } from './follower.ts'
import type { Hub, Waiter } from './hub.ts'
import { createKeptMemory, type KeptMemory } from './kept-memory.ts'
import {
  cursorOf,
  type Entered,
  enterAt,
  flushPosition,
  heldUntil,
  isParked,
  type Position,
  parkPosition,
  type RestoreSource,
  restorePosition,
  type ViewSpec,
  weighPosition,
} from './position.ts'
import { encodeReleased } from './remake.ts'
import type { SubscriberConnection } from './subscriber-connection.ts'
import type { ConnectedReader } from './subscribers.ts'
import type { View } from './view.ts'

/** The parts of a session that a subscriber reads. */
export interface Readable extends RestoreSource {
  /** The same entries as `read()`, not decoded. */
  readRecords(fromSeq: number, maxBytes: number): Promise<readonly LogRecord[]>
  readonly hub: Hub
  /** The last durable entry. */
  readonly lastSeq: number
  readonly isEnded: boolean
}

export interface SubscriberOptions {
  readonly session: Readable
  readonly spec: ViewSpec
  readonly connection: SubscriberConnection
  readonly clock: Clock
  readonly sliceBytes: number
  /** The last entry to read; without it, reading goes on until the session ends. */
  readonly stopAt?: number
  readonly onDelivered: (frames: number, bytes: number) => void
  readonly onClosed: () => void
}

/** One reader of one session. However slow it is, it costs at most one slice beyond its socket. */
export interface Subscriber extends ConnectedReader {
  /** Sends the frames for joining, then reads on. */
  start(entered: Entered): void
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

/** A reader with at least this many entries to read gets stored frames as they are, if it reads them unchanged. */
const leastCopied = 128
const copiedSlices = 4

/** Before it starts. */
const nowhere: Position = { seq: -1, encoder: undefined, held: undefined, delivered: undefined }

export function createSubscriber(options: SubscriberOptions): Subscriber {
  const { session, spec, connection, clock, sliceBytes, stopAt = Number.POSITIVE_INFINITY } = options
  const { hub } = session
  let state: State = { name: 'behind' }
  let position = nowhere
  /** Where it joins, until the frames for joining are written. */
  let joining: Cursor | undefined
  let memory: KeptMemory | undefined
  /** Whether the position moved past entries without a frame since the last frame or heartbeat. */
  let hasMovedSilently = false
  /** Set while stored frames are copied; the position is then parked. */
  let copied: CopiedText | undefined
  /** Until a frame comes that cannot be copied. */
  let mayCopy = true

  const writer = createBatchWriter({
    connection,
    clock,
    sliceBytes,
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
    memory?.free()
    writer.unfinished = undefined
    position = parkPosition(position)
    options.onClosed()
  }

  const cursor = (): string => formatCursor(cursorOf(position))

  const sendFrames = (frames: readonly OutFrame[], end: Position): void =>
    send({ start: position, end, bytes: toBytes(connection.format, frames), frames: frames.length })

  /** Sends held text whose span has ended, as a view does. */
  const flush = (until: number | undefined): boolean => {
    if (until === undefined || position.seq < session.lastSeq || !hub.isOver(until)) return false
    const flushed = flushPosition(spec, position)
    sendFrames(flushed.frames, flushed.position)
    return true
  }

  const isAtHead = (): boolean => {
    if (position.seq >= stopAt) return true
    // A view receives entries at the end of the turn in which they became durable.
    if (state.name === 'following') return position === state.view.head
    return position.seq >= session.lastSeq
  }

  /** Whether stored frames may be copied from here on. */
  const canCopy = (): boolean => mayCopy && Math.min(stopAt, session.lastSeq) - position.seq >= leastCopied

  /** Whether the position must be made again before anything else. */
  const mustRemake = (): boolean =>
    isParked(position) && (copied === undefined || writer.unfinished !== undefined || !canCopy())

  /** Finishes where nothing is left to read. */
  const finish = (): boolean => {
    const ended = session.isEnded && position.seq >= session.lastSeq
    if (writer.unfinished !== undefined || (!ended && position.seq < stopAt)) return false
    close()
    connection.finish({ cursor: cursor(), ended })
    return true
  }

  /** At the head: follows a view, or waits. */
  const settleAtHead = (): void => {
    if (state.name === 'following' || state.name === 'waiting') return
    const view = hub.follow({ spec, format: connection.format }, position)
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
    const batch = view.batchesFrom(position, sliceBytes)
    if (batch !== undefined) send(batch)
    return batch !== undefined
  }

  /** Sends until the connection stalls, the head is reached, or the log has to be read. */
  const sendMore = (): void => {
    while (state.name !== 'closed' && state.name !== 'reading' && writer.stalledSince === undefined) {
      if (writer.unfinished?.type === 'kept') resumeBatch(writer)
      else if (isAtHead() && finish()) return
      else if (mustRemake()) void readLog(remake)
      else if (isAtHead()) {
        settleAtHead()
        return
      } else if (state.name !== 'following' || !sendKept(state.view))
        void readLog(() => hub.reads.run(readOn))
    }
  }

  const pump = (): void => {
    sendMore()
    if (state.name === 'following') hub.place(state.view, follower)
    else holdKept()
  }

  /** Counts what a stalled subscriber keeps and shares with none; when there is too much, it is made again later. */
  const holdKept = (): void => {
    if (state.name !== 'behind' || writer.stalledSince === undefined) return
    const { unfinished } = writer
    let bytes = weighPosition(spec, position)
    if (unfinished?.type === 'kept') {
      const { batch } = unfinished
      bytes += batch.bytes.length + (batch.end === position ? 0 : weighPosition(spec, batch.end))
    }
    memory ??= createKeptMemory(hub.budget, park)
    memory.hold(bytes)
  }

  /** Frees what a stalled subscriber keeps. */
  const park = (): void => {
    if (state.name !== 'behind' || writer.stalledSince === undefined) return
    releaseBatch(writer)
    position = parkPosition(position)
  }

  /** Does something that waits for the log. If it fails, the connection is reset. */
  const readLog = async (read: () => Promise<void>): Promise<void> => {
    enter({ name: 'reading' })
    try {
      await read()
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

  const readOn = async (): Promise<void> => {
    // A log may answer from memory and a socket take megabytes, so without this others would wait all that time.
    await setImmediate()
    if (isClosed()) return
    if (canCopy() && (await copyOn())) return
    if (isClosed() || isParked(position)) return
    const { lastSeq } = session
    const entries = await session.read(position.seq + 1, sliceBytes)
    if (isClosed()) return
    if (entries.length === 0 && position.seq < lastSeq) throw new SluiceError('session_deleted')
    const wanted = entries.filter(({ seq }) => seq <= stopAt)
    const cut = { start: position, maxBytes: sliceBytes }
    for (const batch of encodeEntries({ spec, format: connection.format }, wanted, cut)) {
      if (!isFree(writer) || isClosed()) break
      send(batch)
    }
  }

  /** Sends stored frames as they are; false if the next one cannot be copied. */
  const copyOn = async (): Promise<boolean> => {
    const encoding = { spec, format: connection.format }
    const text = copied ?? copiedTextAt(encoding, position)
    if (text === undefined) {
      mayCopy = false
      return false
    }
    // Slices end within a chunk of the log, which the next read reads again, so several are read at once.
    const records = await session.readRecords(position.seq + 1, copiedSlices * sliceBytes)
    if (isClosed()) return true
    const wanted = records.filter(({ seq }) => seq <= stopAt)
    let last: Batch | undefined
    for (last of copyRecords(encoding, wanted, { start: position, text, maxBytes: sliceBytes })) {
      if (!isFree(writer) || isClosed()) break
      copied = text
      send(last)
    }
    mayCopy = last !== undefined
    if (last === undefined) copied = undefined
    return mayCopy
  }

  /** Makes what was freed again from the log, and continues where the connection stalled. */
  const remake = async (): Promise<void> => {
    const { unfinished } = writer
    if (joining !== undefined && unfinished !== undefined) {
      const entered = await enterAt(spec, session, joining)
      if (isClosed()) return
      if (entered === undefined) throw new SluiceError('session_deleted')
      join(entered)
      return
    }
    const restored = await restorePosition(spec, session, { position, sliceBytes })
    if (restored === undefined) throw new SluiceError('session_deleted')
    const batch =
      unfinished?.type === 'released'
        ? await encodeReleased({ spec, format: connection.format }, session, {
            start: restored,
            endSeq: unfinished.endSeq,
            sliceBytes,
          })
        : undefined
    if (isClosed()) return
    copied = undefined
    if (unfinished !== undefined && batch === undefined) throw new SluiceError('session_deleted')
    position = restored
    if (batch !== undefined) send(batch)
  }

  /** Sends the frames for joining. */
  const join = (entered: Entered): void => {
    position = entered.position
    const frames = [...entered.joining(), ...entered.rest]
    if (frames.length > 0) sendFrames(frames, position)
  }

  const follower: Follower = {
    get position() {
      return position
    },
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
    pass() {
      if (state.name === 'following') enter({ name: 'behind' })
      holdKept()
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
    start(entered) {
      joining = entered.cursor
      join(entered)
      if (writer.unfinished === undefined) joining = undefined
      pump()
    },
    drained() {
      memory?.free()
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
      if (writer.stalledSince === undefined || writer.stalledSince > before) return
      memory?.free()
      park()
    },
    beat(before) {
      if (isClosed() || !isFree(writer) || writer.lastSentAt > before) return
      writer.lastSentAt = clock.monotonic()
      connection.heartbeat(hasMovedSilently ? cursor() : undefined)
      hasMovedSilently = false
    },
  }
}
