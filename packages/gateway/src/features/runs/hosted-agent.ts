import type { Agent } from '@sluice/protocol'

/** An agent that a gateway offers, and the limits for requests. */
export interface HostedAgent {
  readonly agent: Agent
  /** For people, such as `Claude Code`. */
  readonly title: string
  /** How many of its runs may be active at the same time. */
  readonly concurrency: number
  /** How many runs may wait for their turn. */
  readonly queue: number
  /** Absolute directories in which, and below which, it may work; the first is the default. */
  readonly workingDirs: readonly string[]
  /** Variables that a request may set. */
  readonly allowEnv: readonly string[]
  /**
   * Whether a request may exceed the agent's configuration: raise its permissions, and continue sessions that
   * no run recorded here.
   */
  readonly requestsMayRaisePermissions: boolean
  /** Whether it runs without a credential for anyone who reaches a gateway on loopback. */
  readonly isOpen: boolean
}
