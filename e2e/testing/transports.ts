import { readNdjson, readSse } from './http-reading.ts'
import type { Transport } from './reading.ts'
import { readSocket } from './socket-reading.ts'

/** Every way to read a stream. */
export const transports = { sse: readSse, ndjson: readNdjson, ws: readSocket } as const satisfies Record<
  string,
  Transport
>

export type TransportName = keyof typeof transports

export const transportNames = Object.keys(transports) as readonly TransportName[] // the keys of the object above
