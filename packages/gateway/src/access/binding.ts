import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { SluiceError } from '@sluice/protocol'
import type { GatewayConfig } from '../config/config.ts'
import { isLoopbackHost } from '../config/loopback-host.ts'

/** The gateway's file of API keys; undefined when it has neither such a file nor a data directory. */
export function keyFileOf(config: Pick<GatewayConfig, 'auth' | 'data'>): string | undefined {
  return config.auth.keys ?? (config.data === undefined ? undefined : join(config.data, 'keys.json'))
}

/**
 * Throws `bad_config` if other machines could reach a gateway that is open to all, or for which nobody has a
 * credential.
 */
export function assertSafeBinding(config: Pick<GatewayConfig, 'host' | 'auth' | 'data'>): void {
  if (isLoopbackHost(config.host)) return
  if (config.auth.anonymous === true)
    throw new SluiceError('bad_config', {
      message: `Other machines reach ${config.host}: auth.anonymous must not be true. Listen on 127.0.0.1, or remove it.`,
    })
  if (config.auth.jwt.length > 0) return
  const keys = keyFileOf(config)
  if (config.auth.keys !== undefined || (keys !== undefined && existsSync(keys))) return
  throw new SluiceError('bad_config', {
    message:
      `Other machines reach ${config.host}, and no credentials are configured. ` +
      'Make a key with `sluice token create`, or configure auth.keys or auth.jwt, or listen on 127.0.0.1.',
  })
}
