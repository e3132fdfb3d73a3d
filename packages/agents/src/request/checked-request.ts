import type { JsonObject } from '@sluice/protocol'
import type { Ceiling } from './ceiling.ts'

/** Which of the agent's own sessions a run continues. */
export type Selector = { readonly selector: 'last' } | { readonly selector: 'id'; readonly id: string }

/** A request that the agent accepts, with the additions from its configuration. */
export interface CheckedRequest {
  readonly prompt: string
  /** Absolute. */
  readonly cwd: string
  /** Undefined: no limit. */
  readonly timeoutMs: number | undefined
  /** The whole environment of the agent: it gets nothing else from the gateway's own. */
  readonly env: Readonly<Record<string, string>>
  readonly model: string | undefined
  /** Absolute, without repetitions. */
  readonly addDirs: readonly string[]
  readonly nonInteractive: boolean
  readonly externalSandbox: boolean
  readonly resume: Selector | undefined
  readonly fork: Selector | undefined
  /** The agent's own extensions (`backend.<kind>.…`), checked. */
  readonly own: JsonObject
}

/** What the configuration adds to every run of an agent. A request's own values take precedence. */
export interface RunDefaults {
  readonly cwd: string
  readonly timeoutMs?: number
  readonly env: Readonly<Record<string, string>>
  readonly model?: string
  /** How far a request may go. Default: the lowest permissions. */
  readonly ceiling?: Ceiling
}
