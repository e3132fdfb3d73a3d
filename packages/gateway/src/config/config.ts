import type Type from 'typebox'
import type { filledSchema } from './schema.ts'

type Frozen<Value> = Value extends object ? { readonly [Key in keyof Value]: Frozen<Value[Key]> } : Value

/**
 * The complete configuration of a gateway: durations are milliseconds, sizes are bytes, and the names of
 * files and directories are absolute.
 */
export type GatewayConfig = Frozen<Type.Static<typeof filledSchema>>

/** An issuer whose JWTs are accepted; it gives its keys with exactly one of `jwks` and `key`. */
export type JwtIssuer = GatewayConfig['auth']['jwt'][number]

/** A remote AAEP producer; it has at most one of `token` and `tokenFile`. */
export type UpstreamConfig = GatewayConfig['aaep']['upstreams'][number]

/** An agent that the gateway runs; its keys depend on its type. */
export type AgentConfig = NonNullable<GatewayConfig['agents']>[string]

const KiB = 1024
const MiB = 1024 * KiB
const second = 1000
const minute = 60 * second
const day = 24 * 60 * minute

/** The values of settings that neither a flag, a variable nor the file sets. */
export const defaultConfig: GatewayConfig = {
  host: '127.0.0.1',
  port: 4747,
  hosts: [],
  origins: [],
  auth: { jwt: [] },
  limits: {
    eventBytes: MiB,
    bodyBytes: 8 * MiB,
    headBytes: 16 * KiB,
    headTimeoutMs: 10 * second,
    bodyIdleMs: minute,
    producersPerSession: 64,
    connections: 10_000,
    connectionsPerSubject: 1000,
    idleConnections: 2000,
    idleConnectionsPerAddress: 1000,
    requestsPerSecond: 5000,
    pendingBytes: 64 * MiB,
    subscriptionsPerConnection: 1000,
    subscriptions: 100_000,
    subscriptionsPerSubject: 20_000,
    stalledMs: 60 * minute,
    ringBytes: 256 * KiB,
    ringsBytes: 64 * MiB,
    sliceBytes: 64 * KiB,
    idleSessionMs: minute,
    openSessions: 10_000,
    openQuestions: 100_000,
    openQuestionsPerSubject: 10_000,
  },
  aaep: {
    agent: 'sluice',
    name: 'Sluice',
    subscriptions: 10_000,
    subscriptionsPerSubject: 64,
    subscriptionIdleMs: 7 * day,
    upstreams: [],
  },
  retention: {},
  heartbeatMs: 15 * second,
  drainMs: 10 * second,
  logLevel: 'info',
  minFreeBytes: 64 * MiB,
}
