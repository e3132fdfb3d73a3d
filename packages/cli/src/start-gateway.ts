import { existsSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import {
  assertSafeBinding,
  createGateway,
  createLogger,
  createMetrics,
  type Gateway,
  type GatewayAddress,
  type GatewayConfig,
  type HostedAgent,
  openAuthenticator,
  openSigningKeys,
} from '@sluice/gateway'
import { type Log, openLmdbLog } from '@sluice/log'
import { type RunProcess, SluiceError } from '@sluice/protocol'
import { removeGatewayFile, writeGatewayFile } from './gateway-file.ts'
import { createSystemClock } from './system-clock.ts'

/** A configuration that says where its data is. */
export type ServedConfig = GatewayConfig & { readonly data: string }

export interface StartedGateway {
  /** Where programs of this machine reach it. */
  readonly url: string
  /** The key with all grants. */
  readonly localKey: string
  /** The path of the Unix domain socket, if there is one. */
  readonly socket?: string
  /** Lets requests under way come to their end, ends the runs, and closes the data. */
  close(): Promise<void>
}

export interface StartOptions {
  readonly agents?: ReadonlyMap<string, HostedAgent>
  /** Ends what is left of a run of a gateway that was killed. */
  endProcess?(process: RunProcess): Promise<boolean>
  /** Where the log of what happens goes; standard error if absent. */
  readonly logTo?: { write(line: string): unknown }
}

/**
 * Starts a gateway on its data directory, where the other commands find it. Rejects with `bad_config`, `data_in_use`,
 * `address_in_use`, or what opening the data fails with.
 */
export async function startGateway(
  config: ServedConfig,
  { logTo, ...options }: StartOptions = {},
): Promise<StartedGateway> {
  // Before anything is made on disk for a gateway that would not start.
  assertSafeBinding(config)
  await mkdir(config.data, { recursive: true, mode: 0o700 })
  const clock = createSystemClock()
  const logger = createLogger({
    level: config.logLevel,
    ...(logTo === undefined ? {} : { destination: { write: (line: string) => void logTo.write(line) } }),
  })
  const log = await openLmdbLog({
    directory: config.data,
    clock,
    minFreeBytes: config.minFreeBytes,
    maxWaitingBytes: config.limits.pendingBytes,
  })
  const forget = (): void => removeGatewayFile(config.data)
  let gateway: Gateway | undefined
  const close = (): Promise<void> =>
    stayAlive(async () => {
      forget()
      process.off('exit', forget)
      await closeAll(gateway, log)
    })
  try {
    const onProblem = (err: SluiceError): void => logger.warn({ err }, 'credentials')
    const { authenticator, localKey } = await openAuthenticator(config, { clock, onProblem })
    const signingKeys = openSigningKeys(config.data, { clock, onProblem })
    const metrics = createMetrics()
    const made = createGateway({
      ...options,
      config,
      log,
      clock,
      logger,
      metrics,
      authenticator,
      signingKeys,
      ...findConsole(),
    })
    gateway = made
    const { port, socket } = await stayAlive(() => listen(made))
    const url = toUrl(config, port)
    process.once('exit', forget)
    const isTls = config.tls !== undefined
    const place = { url, pid: process.pid, startedAt: clock.now(), tls: isTls }
    await writeGatewayFile(config.data, place, localKey)
    return { url, localKey, ...(socket === undefined ? {} : { socket }), close }
  } catch (error) {
    await close()
    throw error
  }
}

/** The console lies among the compiled files, also for who runs the sources. It may be left out. */
function findConsole(): { readonly console?: string } {
  const page = new URL('../dist/console/index.html', import.meta.url)
  return existsSync(page) ? { console: fileURLToPath(new URL('.', page)) } : {}
}

const dayMs = 86_400_000

/** The timers of the system clock keep no process alive, and before a gateway listens nothing else might. */
async function stayAlive<T>(work: () => Promise<T>): Promise<T> {
  const hold = setInterval(() => {}, dayMs)
  try {
    return await work()
  } finally {
    clearInterval(hold)
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
      message: `Port ${port} on ${host} is already in use. Choose another with --port, or any free one with --port 0.`,
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
