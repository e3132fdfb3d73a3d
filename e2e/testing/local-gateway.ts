import {
  createAuthenticator,
  createGateway,
  createLogger,
  createMetrics,
  createSecretStore,
  defaultConfig,
  type GatewayConfig,
} from '@sluice/gateway'
import { createMemoryLog } from '@sluice/log'
import type { Clock } from '@sluice/protocol'

export interface LocalGateway {
  readonly url: string
  close(): Promise<void>
}

/** A gateway in this process with an empty log in memory, on any free port and on the given clock. */
export async function startLocalGateway(
  clock: Clock,
  limits: Partial<GatewayConfig['limits']> = {},
): Promise<LocalGateway> {
  const config = { ...defaultConfig, port: 0, limits: { ...defaultConfig.limits, ...limits } }
  const gateway = createGateway({
    config,
    log: createMemoryLog(),
    clock,
    logger: createLogger({ level: 'warn' }),
    metrics: createMetrics(),
    authenticator: createAuthenticator({ clock, secrets: createSecretStore() }),
  })
  const { url } = await gateway.listen()
  return { url, close: () => gateway.close() }
}
