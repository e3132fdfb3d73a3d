import type { Socket } from 'node:net'
import type { Clock } from '@sluice/protocol'
import type { WebSocket } from 'ws'

/** What leaves a connection. */
export interface Outbox {
  /** Sends a message of our own. */
  send(message: object): void
  /** Sends ready frames to a subscription; false when nothing more may be sent until the socket has drained. */
  sendFrames(ref: string, frames: Buffer): boolean
  readonly isFull: boolean
  /** When something was last sent, ms since 1970. */
  readonly sentAt: number
}

/** Frames larger than this are sent as fragments, so that all who get them share their bytes. */
const maxCopiedBytes = 16 * 1024

export function createOutbox(ws: WebSocket, socket: Socket, clock: Clock): Outbox {
  let sentAt = clock.now()
  return {
    send(message) {
      sentAt = clock.now()
      ws.send(JSON.stringify(message))
    },
    sendFrames(ref, frames) {
      sentAt = clock.now()
      const head = Buffer.from(`{"type":"frames","ref":${JSON.stringify(ref)},"frames":[`)
      const text = { binary: false }
      if (frames.length <= maxCopiedBytes) ws.send(Buffer.concat([head, frames, closing]), text)
      else {
        ws.send(head, { ...text, fin: false })
        ws.send(frames, { ...text, fin: false })
        ws.send(closing, { ...text, fin: true })
      }
      return !socket.writableNeedDrain
    },
    get isFull() {
      return socket.writableNeedDrain
    },
    get sentAt() {
      return sentAt
    },
  }
}

const closing = Buffer.from(']}')
