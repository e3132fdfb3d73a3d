export {
  type Authenticator,
  type AuthenticatorParts,
  type Credentials,
  createAuthenticator,
} from './access/authenticator.ts'
export { assertSafeBinding } from './access/binding.ts'
export type { Action, Caller, SessionTarget } from './access/caller.ts'
export {
  type GuardedFetchOptions,
  type GuardedResponse,
  type GuardedStream,
  guardedFetch,
  guardedStream,
} from './access/guarded-fetch.ts'
export { watchKeyFile } from './access/key-file.ts'
export { ensureLocalKey } from './access/local-key.ts'
export { type OpenAuthenticatorOptions, openAuthenticator } from './access/open-authenticator.ts'
export { createSecretStore, openSecretStore, type SecretStore, type Secrets } from './access/secrets.ts'
export { type AgentConfig, defaultConfig, type GatewayConfig, type JwtIssuer } from './config/config.ts'
export { noSigningKeys, openSigningKeys, type SigningKeys } from './features/aaep/signing-keys.ts'
export type { HostedAgent } from './features/runs/hosted-agent.ts'
export { createGateway, type Gateway, type GatewayAddress, type GatewayParts } from './gateway.ts'
export { createLogger, type Logger, type LoggerOptions } from './ops/logger.ts'
export { createMetrics, type Metrics } from './ops/metrics.ts'
export { type StartedGateway, type StartParts, startGateway } from './start-gateway.ts'
