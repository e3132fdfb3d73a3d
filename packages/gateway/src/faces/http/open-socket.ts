import type { Socket } from 'node:net'
import type { WebSocket } from 'ws'

/** A WebSocket, and the TCP or TLS socket below it, whose buffer limits what is written. */
export interface OpenSocket {
  readonly ws: WebSocket
  readonly socket: Socket
}
