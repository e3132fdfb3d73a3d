import type { AddressInfo, Socket } from 'node:net'
import { omitUndefined, type RunProcess, SluiceError } from '@sluice/protocol'
import { anonymityOf } from './access/anonymity.ts'
import type { Authenticator } from './access/authenticator.ts'
import { assertSafeBinding } from './access/binding.ts'
import { isLoopbackHost } from './config/loopback-host.ts'
import { listenOnUnixSocket, type UnixSocket } from './faces/aaep/unix-socket.ts'
import { thisPlace, toSocketPath } from './faces/aaep/unix-socket-path.ts'
import { addWebSockets } from './faces/add-web-sockets.ts'
import type { Backend } from './faces/backend.ts'
import { createServer } from './faces/create-server.ts'
import { createBodyWatch } from './faces/http/body-watch.ts'
import { createConnectionCount } from './faces/http/connection-count.ts'
import { drainStreams } from './faces/http/drain-streams.ts'
import { createIdleConnections } from './faces/http/idle-connections.ts'
import { watchConnections } from './faces/http/open-connections.ts'
import { noSigningKeys, type SigningKeys } from './features/aaep/signing-keys.ts'
import { createSubscriptions } from './features/aaep/subscriptions.ts'
import { startRetention } from './features/retention/start-retention.ts'
import type { HostedAgent } from './features/runs/hosted-agent.ts'
import { createRuns } from './features/runs/runs.ts'
import { createUpstreams } from './features/upstreams/upstreams.ts'
import { createKernel, type KernelParts } from './kernel/kernel.ts'
import { version } from './ops/version.ts'

export interface GatewayParts extends KernelParts {
  readonly authenticator: Authenticator
  /** The keys that sign the manifest; unsigned without them. */
  readonly signingKeys?: SigningKeys
  /** The agents that it runs, by their names in requests; none without it. */
  readonly agents?: ReadonlyMap<string, HostedAgent>
  /** The directory of the built console; without it, the root page lists the addresses. */
  readonly console?: string
  /** Kills processes left over from a crashed gateway. Resolves to whether there were any. */
  endProcess?(process: RunProcess): Promise<boolean>
}

/** A running gateway. */
export interface Gateway {
  /** Starts to listen. Rejects with `address_in_use` or `bad_config`. */
  listen(): Promise<GatewayAddress>
  /**
   * Accepts no further requests, finishes the open ones, ends the runs of its agents, disconnects every
   * reader so that it reconnects with its cursor, and writes checkpoints. The caller owns the log and closes
   * it.
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
 * Creates a gateway; listen() starts it. Throws `bad_config` if it would be open to strangers, or its console
 * cannot be read.
 */
export function createGateway(parts: GatewayParts): Gateway {
  const { config, clock, metrics, authenticator, signingKeys = noSigningKeys, agents = new Map() } = parts
  assertSafeBinding(config)
  const { log, logger, endProcess } = parts
  const kernel = createKernel({ config, log, clock, logger, metrics })
  // They listen to commits in this order.
  const subscriptions = createSubscriptions(kernel, signingKeys)
  const upstreams = createUpstreams(kernel)
  const runs = createRuns(kernel, omitUndefined({ agents, endProcess }))
  const backend: Backend = {
    kernel,
    subscriptions,
    runs,
    agents,
    authenticator,
    anonymity: anonymityOf(config),
    isLoopback: isLoopbackHost(config.host),
    connections: createConnectionCount({
      inAll: config.limits.connections,
      perSubject: config.limits.connectionsPerSubject,
    }),
    readings: createConnectionCount({
      inAll: config.limits.subscriptions,
      perSubject: config.limits.subscriptionsPerSubject,
    }),
    idle: createIdleConnections(config.limits),
    bodies: createBodyWatch({ clock, idleMs: config.limits.bodyIdleMs, draining: kernel.draining }),
    listStreams: new Set(),
    console: parts.console,
  }
  if (backend.anonymity === 'everybody')
    parts.logger.warn('auth.anonymous: whoever reaches this gateway reads and publishes, through a proxy too')
  const routes: string[] = []
  const app = createServer(backend, version, (route) => routes.push(route))
  const sockets = addWebSockets(app.server, backend)
  const connections = watchConnections(app.server, {
    clock,
    drainMs: config.drainMs,
    isSecure: config.tls !== undefined,
  })
  app.server.on('connection', (socket: Socket) => backend.idle.add(socket))
  let unixSocket: UnixSocket | undefined
  const stopRetention = startRetention(kernel)
  const stopWatching = parts.log.onHealth((health) => {
    if (health.writable) parts.logger.info('the store takes writes again')
    else parts.logger.error({ code: health.code }, 'the store takes no writes')
  })
  const { subscribers, directory, pending, questions } = kernel
  metrics.watch({
    subscribers: () => ({
      sse: subscribers.count('sse'),
      ndjson: subscribers.count('ndjson'),
      ws: subscribers.count('ws'),
      unix: subscribers.count('unix'),
    }),
    stalled: () => subscribers.stalled,
    maxLag: () => subscribers.maxLag,
    openSessions: () => directory.openCount,
    openQuestions: () => questions.openCount,
    pendingBytes: () => pending.bytes,
    upstreams: upstreams.count,
    runs: () => runs.count(),
  })

  return {
    routes,
    async listen() {
      await kernel.stored.start()
      await questions.start()
      await subscriptions.start()
      await runs.start()
      const socket =
        config.aaep.socket === undefined ? undefined : toSocketPath(config.aaep.socket, thisPlace())
      try {
        if (socket !== undefined) unixSocket = await listenOnUnixSocket(backend, socket)
        await app.listen({ host: config.host, port: config.port })
      } catch (error) {
        questions.stop()
        unixSocket?.close()
        if (error instanceof Error && 'code' in error && error.code === 'EADDRINUSE')
          throw new SluiceError('address_in_use', {
            cause: error,
            details: { host: config.host, port: config.port },
          })
        throw error
      }
      await upstreams.start()
      const { port } = app.server.address() as AddressInfo // it listens on a port
      const scheme = config.tls === undefined ? 'http' : 'https'
      const host = config.host.includes(':') ? `[${config.host}]` : config.host
      const url = `${scheme}://${host}:${port}`
      return omitUndefined({ url, host: config.host, port, socket })
    },

    async close() {
      kernel.drain()
      stopRetention()
      questions.stop()
      const unfollowed = upstreams.stop()
      const ended = runs.stop()
      stopWatching()
      const stopped = app.close()
      sockets.drain()
      unixSocket?.drain()
      drainStreams(backend)
      await connections.close()
      await stopped
      await unfollowed
      await ended
      sockets.close()
      unixSocket?.close()
      subscribers.close()
      await subscriptions.stop()
      await directory.close()
    },
  }
}
