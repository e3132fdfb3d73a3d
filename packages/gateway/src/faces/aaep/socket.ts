import { omitUndefined } from '@sluice/protocol'
import type { RawData, WebSocket } from 'ws'
import type { Caller } from '../../access/caller.ts'
import type { Rejection } from '../../features/aaep/agreement.ts'
import { toRejected } from '../../features/aaep/negotiate-answer.ts'
import { rejectionTable } from '../../features/aaep/negotiate-rejection.ts'
import type { Backend } from '../backend.ts'
import type { OpenSocket } from '../http/open-socket.ts'
import { type Conversation, createConversation } from './conversation.ts'

/** Close codes with which a client ends its subscription (AAEP, WebSocket binding). */
const cleanCodes: ReadonlySet<number> = new Set([4000, 4005])

/** Serves an AAEP client on a WebSocket: one JSON message per text frame, both ways. */
export function serveAaepSocket(
  backend: Backend,
  { ws, socket }: OpenSocket,
  { caller, origin }: { readonly caller: Caller; readonly origin: string | undefined },
): Conversation {
  const conversation = createConversation({
    backend,
    caller,
    transport: 'ws',
    ...omitUndefined({ origin }),
    wire: {
      send(texts) {
        for (const text of texts) ws.send(text)
        return !socket.writableNeedDrain
      },
      ping: () => ws.ping(),
      close: (code, reason) => ws.close(code, reason),
      reset: () => ws.terminate(),
    },
  })
  const onDrain = (): void => {
    ws.resume()
    conversation.drained()
  }
  socket.on('drain', onDrain)
  // Only text frames carry messages.
  ws.on('message', (data: RawData, isBinary: boolean) => {
    conversation.hear(isBinary ? undefined : String(data))
    // Its answers must not pile up for a client that does not read them.
    if (socket.writableNeedDrain) ws.pause()
  })
  ws.on('close', (code: number) => {
    socket.off('drain', onDrain)
    conversation.gone(cleanCodes.has(code))
  })
  ws.on('error', () => ws.terminate())
  return conversation
}

/** Rejects a client over the open WebSocket: a browser cannot read the reason for a refused upgrade. */
export function rejectAaepSocket(ws: WebSocket, rejection: Rejection): void {
  ws.on('error', () => ws.terminate())
  ws.send(JSON.stringify(toRejected(rejection)))
  ws.close(rejectionTable[rejection.code].close, rejection.code)
}
