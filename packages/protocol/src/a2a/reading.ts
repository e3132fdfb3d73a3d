import type { SluiceEvent } from '../events.ts'
import { breach, type Finding, type Rule } from '../finding.ts'
import type { SessionState } from '../session-state.ts'

/** What a decoder remembers of a stream. */
export interface A2aSequence {
  /** True once a frame has been read. */
  readonly begun: boolean
  readonly task?: string
  readonly context?: string
  /** The latest messages of the history that became events: a task that is sent again repeats them. */
  readonly told: readonly string[]
}

export const maxTold = 64

/** One frame while it is being decoded. */
export interface Reading {
  /** The dialect that decodes the frame. */
  readonly dialect: string
  readonly session: SessionState
  readonly state: A2aSequence
  /** JSON pointer to the object of the stream inside the frame. */
  readonly path: string
  readonly events: SluiceEvent[]
  readonly findings: Finding[]
  /** Ids of the messages that this frame adds to the session. */
  readonly told: string[]
  /** The artifact of each output that this frame names. */
  readonly artifacts: Map<string, string>
}

export function find(reading: Reading, rule: Rule, path: string): void {
  reading.findings.push(breach(rule, reading.path + path))
}
