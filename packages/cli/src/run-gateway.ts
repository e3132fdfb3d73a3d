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
} from '@sluice/gateway'
import { type Log, openLmdbLog } from '@sluice/log'
import { SluiceError } from '@sluice/protocol'
import { removeGatewayFile, writeGatewayFile } from './gateway-file.ts'
import { waitForShutdown } from './shutdown.ts'
import { createSystemClock } from './system-clock.ts'

/** A configuration that says where its data is. */
export type ServedConfig = GatewayConfig & { readonly data: string }

export interface RunningGateway {
  /** Where programs of this machine reach it. */
  readonly url: string
  /** The key with all grants. */
  readonly localKey: string
}

/**
 * Runs a gateway on its data directory until a signal asks it to stop; then lets requests under way come to their end.
 * Rejects with `bad_config`, `data_in_use`, or what opening the data fails with.
 */
export async function runGateway(
  config: ServedConfig,
  onStart: (running: RunningGateway) => void,
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
  try {
    const onProblem = (err: SluiceError): void => logger.warn({ err }, 'credentials')
    const { authenticator, localKey } = await openAuthenticator(config, { clock, onProblem })
    gateway = createGateway({ config, log, clock, logger, metrics: createMetrics(), authenticator })
    const { port } = await listen(gateway)
    const url = toUrl(config, port)
    process.once('exit', forget)
    await writeGatewayFile(config.data, {
      url,
      pid: process.pid,
      startedAt: clock.now(),
      tls: config.tls !== undefined,
    })
    onStart({ url, localKey })
    await shutdown.asked
  } finally {
    forget()
    process.off('exit', forget)
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
    throw new SluiceError('address_in_use', {
      message: `Port ${port} of ${host} is taken. Take another with --port, or any free one with --port 0.`,
      cause: error,
    })
  }
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
