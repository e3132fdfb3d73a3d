import type { AaepTransport } from './aaep-reading.ts'
import { readAaepSocket } from './aaep-socket.ts'
import { readAaepSse } from './aaep-sse.ts'

/** Every way to read a subscription over the network. */
export const aaepTransports: Readonly<Record<'sse' | 'ws', AaepTransport>> = {
  sse: readAaepSse,
  ws: readAaepSocket,
}
