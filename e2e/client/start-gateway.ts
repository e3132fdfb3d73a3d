import {
  createAuthenticator,
  createGateway,
  createLogger,
  createMetrics,
  createSecretStore,
  defaultConfig,
} from '@sluice/gateway'
import { createMemoryLog } from '@sluice/log'
import { systemClock } from '@sluice/protocol'

export interface StartedGateway {
  readonly url: string
  /** Disconnects every reader, then stops. */
  close(): Promise<void>
}

/** The credential that may do everything. */
export const localKey = `sluice_local_${'k'.repeat(43)}`

/** A gateway on a free port, with a log in memory. */
export async function startGateway(): Promise<StartedGateway> {
  const clock = systemClock
  const gateway = createGateway({
    config: { ...defaultConfig, port: 0, drainMs: 1_000 },
    log: createMemoryLog(),
    clock,
    logger: createLogger({ level: 'silent' }),
    metrics: createMetrics(),
    authenticator: createAuthenticator({ clock, secrets: createSecretStore(), localKey }),
  })
  const { url } = await gateway.listen()
  return { url, close: gateway.close }
}
