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

/** A gateway in this process, on a clock that the test drives, whose log outlives it. */
export interface RestartingGateway {
  /** Changes with every start. */
  readonly url: string
  readonly key: string
  stop(): Promise<void>
  /** Starts with the same log at another address, since fetch keeps connections to the stopped gateway. */
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
