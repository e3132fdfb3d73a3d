import { mkdir } from 'node:fs/promises'
import {
  assertSafeBinding,
  createGateway,
  createLogger,
  createMetrics,
  type Gateway,
  type GatewayAddress,
  type GatewayConfig,
  openAuthenticator,
  openSigningKeys,
} from '@sluice/gateway'
import { type Log, openLmdbLog } from '@sluice/log'
import { type JsonObject, SluiceError } from '@sluice/protocol'
import { createDemoAgent, type DemoAgent } from './demo-agent.ts'
import type { GatewayConnection } from './gateway-connection.ts'
import { removeGatewayFile, writeGatewayFile } from './gateway-file.ts'
import { postForJson } from './post-for-json.ts'
import { waitForShutdown } from './shutdown.ts'
import { createSystemClock } from './system-clock.ts'

/** A configuration that says where its data is. */
export type ServedConfig = GatewayConfig & { readonly data: string }

export interface RunningGateway {
  /** Where programs of this machine reach it. */
  readonly url: string
  /** The key with all grants. */
  readonly localKey: string
  /** The path of the Unix domain socket, if there is one. */
  readonly socket?: string
}

export interface RunOptions {
  /** The recording that an agent for trying things out plays; without it there is no agent. */
  readonly demo?: readonly JsonObject[]
}

/**
 * Runs a gateway on its data directory until a signal asks it to stop; then lets requests under way come to their end.
 * Rejects with `bad_config`, `data_in_use`, or what opening the data fails with.
 */
export async function runGateway(
  config: ServedConfig,
  onStart: (running: RunningGateway) => void,
  { demo }: RunOptions = {},
): Promise<void> {
  // Before anything is made on disk for a gateway that would not start.
  assertSafeBinding(config)
  await mkdir(config.data, { recursive: true, mode: 0o700 })
  const clock = createSystemClock()
  const logger = createLogger({ level: config.logLevel })
  const log = await openLmdbLog({
    directory: config.data,
    clock,
    minFreeBytes: config.minFreeBytes,
    maxWaitingBytes: config.limits.pendingBytes,
  })
  const shutdown = waitForShutdown()
  const forget = (): void => removeGatewayFile(config.data)
  let gateway: Gateway | undefined
  let agent: DemoAgent | undefined
  let url = ''
  try {
    const onProblem = (err: SluiceError): void => logger.warn({ err }, 'credentials')
    const { authenticator, localKey } = await openAuthenticator(config, { clock, onProblem })
    const signingKeys = openSigningKeys(config.data, { clock, onProblem })
    agent =
      demo === undefined
        ? undefined
        : createDemoAgent(demo, {
            clock,
            publish: (session, event) => publish({ url, token: localKey }, session, event),
            onProblem: (err) => logger.warn({ err }, 'the demo stopped playing'),
          })
    const startSession = agent === undefined ? {} : { startSession: agent.start }
    const metrics = createMetrics()
    gateway = createGateway({
      config,
      log,
      clock,
      logger,
      metrics,
      authenticator,
      signingKeys,
      ...startSession,
    })
    const { port, socket } = await listen(gateway)
    url = toUrl(config, port)
    process.once('exit', forget)
    await writeGatewayFile(config.data, {
      url,
      pid: process.pid,
      startedAt: clock.now(),
      tls: config.tls !== undefined,
    })
    onStart({ url, localKey, ...(socket === undefined ? {} : { socket }) })
    await shutdown.asked
  } finally {
    forget()
    process.off('exit', forget)
    agent?.stop()
    await closeAll(gateway, log)
    shutdown.release()
  }
}

async function listen(gateway: Gateway): Promise<GatewayAddress> {
  try {
    return await gateway.listen()
  } catch (error) {
    if (!(error instanceof SluiceError && error.code === 'address_in_use')) throw error
    const { host, port } = error.details ?? {}
    // Of a socket in the file system the message says it all.
    if (port === undefined) throw error
    throw new SluiceError('address_in_use', {
      message: `Port ${port} of ${host} is taken. Take another with --port, or any free one with --port 0.`,
      cause: error,
    })
  }
}

/** The agent speaks to the gateway as any other does. */
async function publish(gateway: GatewayConnection, session: string, event: JsonObject): Promise<void> {
  await postForJson(gateway, {
    path: ['v1', 'sessions', session, 'events'],
    query: { dialect: 'aaep' },
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(event),
  })
}

async function closeAll(gateway: Gateway | undefined, log: Log): Promise<void> {
  try {
    await gateway?.close()
  } finally {
    await log.close()
  }
}

/** An address that stands for all of them is reached over the loopback. */
function toUrl({ host, tls }: GatewayConfig, port: number): string {
  const reached = host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '::1' : host
  return `${tls === undefined ? 'http' : 'https'}://${reached.includes(':') ? `[${reached}]` : reached}:${port}`
}
