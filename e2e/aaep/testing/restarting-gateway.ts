import {
  createAuthenticator,
  createGateway,
  createLogger,
  createMetrics,
  createSecretStore,
  defaultConfig,
  type Gateway,
} from '@sluice/gateway'
import { createMemoryLog } from '@sluice/log'
import type { Clock } from '@sluice/protocol'

/** A gateway in this process whose log outlives it, at the time of a clock that a test drives. */
export interface RestartingGateway {
  /** Of this life. */
  readonly url: string
  readonly key: string
  stop(): Promise<void>
  /** With the same log, at another address: what fetch kept open belongs to the one that has stopped. */
  start(): Promise<void>
}

const key = `sluice_local_${'k'.repeat(43)}`

/** Starts it on any free port. */
export async function startRestartingGateway(clock: Clock): Promise<RestartingGateway> {
  const log = createMemoryLog()
  let url = ''
  let gateway: Gateway | undefined
  const start = async (): Promise<void> => {
    gateway = createGateway({
      config: { ...defaultConfig, port: 0 },
      log,
      clock,
      logger: createLogger({ level: 'silent' }),
      metrics: createMetrics(),
      authenticator: createAuthenticator({ clock, secrets: createSecretStore(), localKey: key }),
    })
    url = (await gateway.listen()).url
  }
  await start()
  return {
    get url() {
      return url
    },
    key,
    start,
    async stop() {
      await gateway?.close()
    },
  }
}
