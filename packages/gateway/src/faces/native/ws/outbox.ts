import type { Clock } from '@sluice/protocol'
import type { Slice } from '../../../kernel/fan-out/subscriber-connection.ts'
import type { OpenSocket } from '../../http/open-socket.ts'

/** Everything that a connection sends. */
export interface Outbox {
  /** Sends a message; while another is sent in slices, queues it until that one is complete. */
  send(message: object): void
  /**
   * Sends ready frames to a subscription, as one message or as a slice of one; false when the caller must
   * wait until the socket has drained.
   */
  sendFrames(ref: string, frames: Buffer, slice: Slice | undefined): boolean
  /** The subscription whose message is only partly sent. */
  readonly sending: string | undefined
  readonly isFull: boolean
  /** When something was last sent, in monotonic ms. */
  readonly sentAt: number
}

/** Larger frames are sent as fragments, so that all their readers share the bytes. */
const maxCopiedBytes = 16 * 1024

/** Calls `onFree` when a message that was sent in slices is complete. */
export function createOutbox({ ws, socket }: OpenSocket, clock: Clock, onFree: () => void): Outbox {
  let sentAt = clock.monotonic()
  let sending: string | undefined
  let held: object[] = []

  const fragment = (bytes: Buffer, { fin }: { readonly fin: boolean }): void =>
    ws.send(bytes, { binary: false, fin })

  const complete = (): void => {
    sending = undefined
    const waiting = held
    held = []
    for (const message of waiting) ws.send(JSON.stringify(message))
    onFree()
  }

  return {
    send(message) {
      sentAt = clock.monotonic()
      if (sending === undefined) ws.send(JSON.stringify(message))
      else held.push(message)
    },
    sendFrames(ref, frames, slice) {
      sentAt = clock.monotonic()
      const isFirst = slice?.isFirst ?? true
      const isLast = slice?.isLast ?? true
      const head = isFirst ? openingOf(ref) : undefined
      if (head !== undefined && isLast && frames.length <= maxCopiedBytes)
        fragment(Buffer.concat([head, frames, closing]), { fin: true })
      else {
        if (head !== undefined) fragment(head, { fin: false })
        fragment(frames, { fin: false })
        if (isLast) fragment(closing, { fin: true })
        if (!isLast) sending = ref
        else if (sending !== undefined) complete()
      }
      return !socket.writableNeedDrain
    },
    get sending() {
      return sending
    },
    get isFull() {
      return socket.writableNeedDrain
    },
    get sentAt() {
      return sentAt
    },
  }
}

function openingOf(ref: string): Buffer {
  return Buffer.from(`{"type":"frames","ref":${JSON.stringify(ref)},"frames":[`)
}

const closing = Buffer.from(']}')
