import { join } from 'node:path'
import { type Clock, omitUndefined, type SluiceError } from '@sluice/protocol'
import type { GatewayConfig } from '../config/config.ts'
import { type Authenticator, createAuthenticator } from './authenticator.ts'
import { keyFileOf } from './binding.ts'
import { createJwtVerifier } from './jwt.ts'
import { watchKeyFile } from './key-file.ts'
import { ensureLocalKey, mintLocalKey } from './local-key.ts'
import { openLogins } from './logins.ts'
import { rememberJwt } from './remember-jwt.ts'
import { createSecretStore, openSecretStore } from './secrets.ts'

export interface OpenAuthenticatorOptions {
  readonly clock: Clock
  /** Called when a changed file is bad or keys cannot be fetched; the gateway continues with what it had. */
  onProblem(error: SluiceError): void
  /** Aborts fetches of keys, when the gateway stops. */
  readonly signal?: AbortSignal
}

/**
 * The authenticator that a configuration asks for, and the key with all grants for the user who runs the
 * gateway. Its state is kept in the data directory; without one, tickets and logins end with the process.
 * Throws `bad_config`.
 */
export async function openAuthenticator(
  config: Pick<GatewayConfig, 'auth' | 'data'>,
  { clock, onProblem, signal }: OpenAuthenticatorOptions,
): Promise<{ readonly authenticator: Authenticator; readonly localKey: string }> {
  const { data } = config
  const keyFile = keyFileOf(config)
  const localKey = data === undefined ? mintLocalKey() : ensureLocalKey(data)
  const authenticator = createAuthenticator({
    clock,
    secrets: data === undefined ? createSecretStore() : openSecretStore(data, { clock, onProblem }),
    verifyJwt: rememberJwt(await createJwtVerifier(config.auth.jwt, { clock, onProblem, signal }), clock),
    localKey,
    logins: openLogins(clock, data === undefined ? undefined : join(data, 'logins.json')),
    ...omitUndefined({
      keys: keyFile === undefined ? undefined : watchKeyFile(keyFile, { clock, onProblem }),
    }),
  })
  return { authenticator, localKey }
}
