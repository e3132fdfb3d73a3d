import { mkdir } from 'node:fs/promises'
import { createMemoryLog, type LmdbLogOptions, type Log, openLmdbLog } from '@sluice/log'
import { createSystemClock, omitUndefined, type SluiceError } from '@sluice/protocol'
import { assertSafeBinding } from './access/binding.ts'
import { openAuthenticator } from './access/open-authenticator.ts'
import { defaultConfig, type GatewayConfig } from './config/config.ts'
import { noSigningKeys, openSigningKeys } from './features/aaep/signing-keys.ts'
import { createGateway, type Gateway, type GatewayParts } from './gateway.ts'
import { createLogger } from './ops/logger.ts'
import { createMetrics } from './ops/metrics.ts'

export interface StartParts extends Pick<GatewayParts, 'agents' | 'endProcess' | 'console'> {
  /** The destination of its log lines; standard error by default. */
  readonly logTo?: { write(line: string): unknown }
}

/** A gateway that listens. */
export interface StartedGateway {
  /** The URL for programs on this machine. */
  readonly url: string
  /** The key with all grants. */
  readonly localKey: string
  /** The path of the Unix domain socket, if there is one. */
  readonly socket?: string
  /** Finishes open requests, ends the runs, and closes the data. */
  close(): Promise<void>
}

/**
 * Opens the log, the credentials and the keys of a data directory and starts a gateway on them. Omitted
 * settings have their defaults; without `data`, everything is kept in memory. Rejects with `bad_config`,
 * `data_in_use`, `address_in_use`, or the error of opening the data.
 */
export async function startGateway(
  settings: Partial<GatewayConfig>,
  { logTo, ...parts }: StartParts = {},
): Promise<StartedGateway> {
  const config: GatewayConfig = { ...defaultConfig, ...settings }
  const { data } = config
  // Before anything is created on disk for a gateway that would not start.
  assertSafeBinding(config)
  const clock = createSystemClock()
  const logger = createLogger({
    level: config.logLevel,
    ...omitUndefined({
      destination: logTo === undefined ? undefined : { write: (line: string) => void logTo.write(line) },
    }),
  })
  const log = await openLog(config, {
    clock,
    onTorn: ({ bytes }) => logger.warn({ bytes }, 'cut off an incomplete commit at the end of the log'),
  })
  let gateway: Gateway | undefined
  const stopping = new AbortController()
  const close = (): Promise<void> => {
    stopping.abort()
    closing ??= stayAlive(() => closeAll(gateway, log))
    return closing
  }
  let closing: Promise<void> | undefined
  try {
    const onProblem = (err: SluiceError): void => logger.warn({ err }, 'credentials')
    const { authenticator, localKey } = await openAuthenticator(config, {
      clock,
      onProblem,
      signal: stopping.signal,
    })
    const signingKeys = data === undefined ? noSigningKeys : openSigningKeys(data, { clock, onProblem })
    const made = createGateway({
      ...parts,
      ...{ config, log, clock, logger, authenticator, signingKeys },
      metrics: createMetrics(),
    })
    gateway = made
    const { port, socket } = await stayAlive(() => made.listen())
    return omitUndefined({ url: toUrl(config, port), localKey, socket, close })
  } catch (error) {
    await close()
    throw error
  }
}

async function openLog(
  { data, minFreeBytes, limits }: GatewayConfig,
  parts: Pick<LmdbLogOptions, 'clock' | 'onTorn'>,
): Promise<Log> {
  if (data === undefined) return createMemoryLog()
  await mkdir(data, { recursive: true, mode: 0o700 })
  return openLmdbLog({ directory: data, ...parts, minFreeBytes, maxWaitingBytes: limits.pendingBytes })
}

const dayMs = 86_400_000

/** Keeps the process alive until the gateway listens: the timers of the system clock do not. */
async function stayAlive<T>(work: () => Promise<T>): Promise<T> {
  const hold = setInterval(() => {}, dayMs)
  try {
    return await work()
  } finally {
    clearInterval(hold)
  }
}

async function closeAll(gateway: Gateway | undefined, log: Log): Promise<void> {
  try {
    await gateway?.close()
  } finally {
    await log.close()
  }
}

/** An address that means all interfaces is reached through loopback. */
function toUrl({ host, tls }: GatewayConfig, port: number): string {
  const reached = host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '::1' : host
  return `${tls === undefined ? 'http' : 'https'}://${reached.includes(':') ? `[${reached}]` : reached}:${port}`
}
