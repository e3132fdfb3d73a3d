import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Clock } from '@sluice/protocol'
import { resetResponse } from './stream-connection.ts'

const keepAliveMs = 30_000
const sweepMs = 100
/** How long peers have to take the last bytes and to close their side; what a peer never takes is not waited for. */
export const partingMs = 1000

/** The connections of a server. */
export interface OpenConnections {
  /**
   * Closes idle connections immediately and the others once their requests are answered, at most after
   * `drainMs`. Peers that neither read nor close are cut off, streams so that nobody takes them for complete.
   */
  close(): Promise<void>
}

interface OpenConnectionsOptions {
  readonly clock: Clock
  readonly drainMs: number
  readonly isSecure: boolean
}

export function watchConnections(
  server: Server,
  { clock, drainMs, isSecure }: OpenConnectionsOptions,
): OpenConnections {
  const sockets = new Set<Socket>()
  /** Connections without a request: clients open some ahead of time. */
  const unused = new Set<Socket>()
  const responses = new Set<ServerResponse>()
  /** Set while the server closes. */
  let look: (() => void) | undefined
  const lookLater = (): void => {
    // Every request comes here, and an immediate costs 4 µs.
    if (look !== undefined) setImmediate(() => look?.())
  }

  server.on('connection', (socket: Socket) => {
    sockets.add(socket)
    if (!isSecure) unused.add(socket)
    // Detects a peer that disappears silently.
    socket.setKeepAlive(true, keepAliveMs)
    socket.once('close', () => {
      sockets.delete(socket)
      unused.delete(socket)
      look?.()
    })
  })
  server.on('request', ({ socket }: IncomingMessage, response: ServerResponse) => {
    unused.delete(socket)
    responses.add(response)
    response.once('close', () => {
      responses.delete(response)
      lookLater()
    })
  })
  server.on('upgrade', ({ socket }: { readonly socket: Socket }) => unused.delete(socket))

  const sweep = (): void => {
    // Node does not close connections that were busy at close() when they become idle, and HTTP/2 has no such
    // method.
    if ('closeIdleConnections' in server) server.closeIdleConnections()
    // Node does not count these as idle.
    for (const socket of unused) socket.destroy()
  }

  /** Resolves when `holds()`, or after `ms`. */
  const until = (holds: () => boolean, ms: number): Promise<void> =>
    new Promise((resolve) => {
      const done = (): void => {
        limit.clear()
        sweeping.clear()
        look = undefined
        resolve()
      }
      const limit = clock.after(ms, done)
      let sweeping = clock.after(sweepMs, function run() {
        sweeping = clock.after(sweepMs, run)
        look?.()
      })
      look = () => {
        sweep()
        if (holds()) done()
      }
      look()
    })

  return {
    async close() {
      // Streams have a head. They are drained on their own.
      await until(() => [...responses].every(({ headersSent }) => headersSent), drainMs)
      await until(() => sockets.size === 0, partingMs)
      for (const response of responses)
        if (response.headersSent && !response.writableEnded) resetResponse(response)
      for (const socket of sockets) socket.destroy()
    },
  }
}
