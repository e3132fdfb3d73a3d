import type { Agent } from '@sluice/protocol'

/** An agent that a gateway offers, and what it may be asked for. */
export interface HostedAgent {
  readonly agent: Agent
  /** For people, such as `Claude Code`. */
  readonly title: string
  /** Its runs at the same time. */
  readonly concurrency: number
  /** Runs that may wait for their turn. */
  readonly queue: number
  /** Absolute directories in which, and below which, it may work. The first is where it works unless told otherwise. */
  readonly workingDirs: readonly string[]
  /** Variables that a request may set. */
  readonly allowEnv: readonly string[]
  /**
   * Whether a request may go above what the agent is configured for: its permissions, and sessions of its own that no run
   * recorded here.
   */
  readonly requestsMayRaisePermissions: boolean
  /** Whether it runs for anybody who reaches a gateway on loopback, without a credential. */
  readonly isOpen: boolean
}
