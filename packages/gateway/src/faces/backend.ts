import type { Anonymity } from '../access/anonymity.ts'
import type { Authenticator } from '../access/authenticator.ts'
import type { Subscriptions } from '../features/aaep/subscriptions.ts'
import type { HostedAgent } from '../features/runs/hosted-agent.ts'
import type { Runs } from '../features/runs/runs.ts'
import type { Kernel } from '../kernel/kernel.ts'
import type { BodyWatch } from './http/body-watch.ts'
import type { ConnectionCount } from './http/connection-count.ts'
import type { IdleConnections } from './http/idle-connections.ts'

/** What every face uses: the kernel, the features and the access rules. */
export interface Backend {
  readonly kernel: Kernel
  readonly subscriptions: Subscriptions
  readonly runs: Runs
  readonly agents: ReadonlyMap<string, HostedAgent>
  readonly authenticator: Authenticator
  /** Which requests need no credential. */
  readonly anonymity: Anonymity
  readonly isLoopback: boolean
  readonly connections: ConnectionCount
  /** What all WebSockets read. */
  readonly readings: ConnectionCount
  readonly idle: IdleConnections
  readonly bodies: BodyWatch
  /** Ends the streams that follow the list of sessions, one function each. */
  readonly listStreams: Set<(retryMs: number) => void>
  /** The directory of the built console; without it, the root page lists the addresses. */
  readonly console: string | undefined
}
