import type { AddressInfo, Socket } from 'node:net'
import { SluiceError } from '@sluice/protocol'
import { listenOnUnixSocket, type UnixSocket } from './aaep/unix-socket.ts'
import { thisPlace, toSocketPath } from './aaep/unix-socket-path.ts'
import { assertSafeBinding } from './auth/binding.ts'
import { createGate, type GatewayParts } from './gate.ts'
import { drainStreams } from './http/drain-streams.ts'
import { createServer } from './http/server.ts'
import { startRetention } from './sessions/retention.ts'
import { version } from './version.ts'
import { addWebSocket } from './ws/web-socket.ts'

const keepAliveMs = 30_000
const idleSweepMs = 100

/** A running gateway. */
export interface Gateway {
  /** Begins to listen. Rejects with `address_in_use` and `bad_config`. */
  listen(): Promise<GatewayAddress>
  /**
   * Takes no more requests, finishes those under way, ends the runs of its agents, lets every reader go so that it comes back with its cursor, keeps
   * checkpoints. The log stays open: it belongs to who opened it.
   */
  close(): Promise<void>
  /** Every route as `METHOD /path/:parameter`. */
  readonly routes: readonly string[]
}

export interface GatewayAddress {
  readonly url: string
  readonly host: string
  readonly port: number
  /** The path of the Unix domain socket, if there is one. */
  readonly socket?: string
}

/**
 * Puts a gateway together. It listens when it is told to. Throws `bad_config` where it would be open to strangers, or its
 * console cannot be read.
 */
export function createGateway(parts: GatewayParts): Gateway {
  const { config, clock, metrics } = parts
  assertSafeBinding(config)
  const gate = createGate(parts)
  if (gate.anonymity === 'everybody')
    parts.logger.warn('auth.anonymous: whoever reaches this gateway reads and publishes, through a proxy too')
  const routes: string[] = []
  const app = createServer(gate, version, (route) => routes.push(route))
  const sockets = addWebSocket(app.server, gate)
  const connections = new Set<Socket>()
  /** Clients open connections ahead of their requests. */
  const unused = new Set<Socket>()
  let unixSocket: UnixSocket | undefined
  app.server.on('connection', (socket: Socket) => {
    connections.add(socket)
    if (config.tls === undefined) unused.add(socket)
    // A peer that is gone without a word is found out.
    socket.setKeepAlive(true, keepAliveMs)
    socket.once('close', () => {
      connections.delete(socket)
      unused.delete(socket)
    })
  })
  app.server.on('request', ({ socket }: { readonly socket: Socket }) => unused.delete(socket))
  app.server.on('upgrade', ({ socket }: { readonly socket: Socket }) => unused.delete(socket))
  const stopRetention = startRetention(gate)
  const stopWatching = parts.log.onHealth((health) => {
    if (health.writable) parts.logger.info('the store takes writes again')
    else parts.logger.error({ code: health.code }, 'the store takes no writes')
  })
  const { roster, directory, pending } = gate
  metrics.watch({
    subscribers: () => ({
      sse: roster.count('sse'),
      ndjson: roster.count('ndjson'),
      ws: roster.count('ws'),
      unix: roster.count('unix'),
    }),
    stalled: () => roster.stalled,
    maxLag: () => roster.maxLag,
    openSessions: () => directory.openCount,
    openQuestions: () => gate.questions.openCount,
    pendingBytes: () => pending.bytes,
    upstreams: gate.upstreams.count,
    runs: () => gate.runs.count(),
  })

  return {
    routes,
    async listen() {
      await gate.questions.start()
      await gate.desk.start()
      await gate.runs.start()
      const socket =
        config.aaep.socket === undefined ? undefined : toSocketPath(config.aaep.socket, thisPlace())
      try {
        if (socket !== undefined) unixSocket = await listenOnUnixSocket(gate, socket)
        await app.listen({ host: config.host, port: config.port })
      } catch (error) {
        gate.questions.stop()
        unixSocket?.close()
        if (error instanceof Error && 'code' in error && error.code === 'EADDRINUSE')
          throw new SluiceError('address_in_use', {
            cause: error,
            details: { host: config.host, port: config.port },
          })
        throw error
      }
      await gate.upstreams.start()
      const { port } = app.server.address() as AddressInfo // it listens on a port
      const scheme = config.tls === undefined ? 'http' : 'https'
      const host = config.host.includes(':') ? `[${config.host}]` : config.host
      const url = `${scheme}://${host}:${port}`
      return { url, host: config.host, port, ...(socket === undefined ? {} : { socket }) }
    },

    async close() {
      gate.isDraining = true
      stopRetention()
      gate.questions.stop()
      const unfollowed = gate.upstreams.stop()
      const ended = gate.runs.stop()
      stopWatching()
      const stopped = app.close()
      sockets.drain()
      unixSocket?.drain()
      drainStreams(gate)
      const watchdog = clock.after(config.drainMs, () => {
        for (const socket of connections) socket.destroy()
      })
      // Connections that were busy when the server closed are not let go by themselves once they are idle.
      let sweep = clock.after(idleSweepMs, function run() {
        if ('closeIdleConnections' in app.server) app.server.closeIdleConnections()
        // To Node they are not idle.
        for (const socket of unused) socket.destroy()
        sweep = clock.after(idleSweepMs, run)
      })
      await stopped
      await unfollowed
      await ended
      sweep.clear()
      watchdog.clear()
      sockets.close()
      unixSocket?.close()
      roster.close()
      await gate.desk.stop()
      await directory.close()
    },
  }
}
