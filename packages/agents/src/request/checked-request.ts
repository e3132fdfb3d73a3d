import type { JsonObject } from '@sluice/protocol'
import type { Ceiling } from './ceiling.ts'

/** Which session of the agent's own a run takes up. */
export type Selector = { readonly selector: 'last' } | { readonly selector: 'id'; readonly id: string }

/** A request that the agent takes, with what its configuration adds. */
export interface CheckedRequest {
  readonly prompt: string
  /** Absolute. */
  readonly cwd: string
  /** Undefined: no limit. */
  readonly timeoutMs: number | undefined
  /** All that the agent gets: nothing comes from the gateway's own environment besides. */
  readonly env: Readonly<Record<string, string>>
  readonly model: string | undefined
  /** Absolute, without repetitions. */
  readonly addDirs: readonly string[]
  readonly nonInteractive: boolean
  readonly externalSandbox: boolean
  readonly resume: Selector | undefined
  readonly fork: Selector | undefined
  /** Extensions of the agent's own (`backend.<kind>.…`), checked. */
  readonly own: JsonObject
}

/** What the configuration gives to every run of an agent. A request's own values go before. */
export interface RunDefaults {
  readonly cwd: string
  readonly timeoutMs?: number
  readonly env: Readonly<Record<string, string>>
  readonly model?: string
  /** How far a request may go; not above the lowest permissions without it. */
  readonly ceiling?: Ceiling
}
