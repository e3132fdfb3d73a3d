import type { SluiceEvent } from './events.ts'
import type { Finding } from './finding.ts'

/** Whether an entry came from the agent, goes to the agent, or was made by Sluice. */
export type Direction = 'event' | 'input' | 'system'

export interface Source {
  readonly dialect: string
  readonly producer?: string
  /** Who sent it, by the credential. */
  readonly subject?: string
  /** The W3C trace context that it came with. */
  readonly trace?: string
}

/** One wire event in a session's log. */
export interface Entry {
  /** 0, 1, 2 … without gaps. */
  readonly seq: number
  /** Milliseconds since 1970; never less than in the entry before. */
  readonly at: number
  readonly source: Source
  readonly direction: Direction
  /** The received JSON text on one line. */
  readonly raw?: string
  /** True if the frame is strictly valid and in its place, so that `raw` may be passed on unchanged. */
  readonly clean: boolean
  /** Settled: the session's invariants hold (docs/protocol.md). */
  readonly events: readonly SluiceEvent[]
  readonly diagnostics: readonly Finding[]
}
