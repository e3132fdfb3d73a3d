export { noSigningKeys, openSigningKeys, type SigningKeys } from './aaep/signing-keys.ts'
export {
  type Authenticator,
  type AuthenticatorParts,
  type Credentials,
  createAuthenticator,
} from './auth/authenticator.ts'
export { assertSafeBinding } from './auth/binding.ts'
export type { Action, Caller, SessionTarget } from './auth/caller.ts'
export {
  type GuardedFetchOptions,
  type GuardedResponse,
  type GuardedStream,
  guardedFetch,
  guardedStream,
} from './auth/guarded-fetch.ts'
export { watchKeyFile } from './auth/key-file.ts'
export { ensureLocalKey } from './auth/local-key.ts'
export { type OpenAuthenticatorOptions, openAuthenticator } from './auth/open-authenticator.ts'
export { createSecretStore, openSecretStore, type SecretStore, type Secrets } from './auth/secrets.ts'
export { type AgentConfig, defaultConfig, type GatewayConfig, type JwtIssuer } from './config/config.ts'
export type { GatewayParts } from './gate.ts'
export { createGateway, type Gateway, type GatewayAddress } from './gateway.ts'
export { createLogger, type Logger, type LoggerOptions } from './ops/logger.ts'
export { createMetrics, type Metrics } from './ops/metrics.ts'
export type { HostedAgent } from './runs/hosted-agent.ts'
export type { Input } from './sessions/inputs.ts'
export type { SessionResource } from './sessions/session-info.ts'
