import type { JsonObject, Outcome } from '@sluice/protocol'
import type { Attempt } from './stay-connected.ts'

/** Server-sent events, or a WebSocket. */
export type TransportName = 'sse' | 'ws'

/** What a transport reads, before it is known whether the reader has it already. */
export type Signal =
  /** Reading begins. `head` is the last entry of the session then, where the gateway tells it. */
  | { readonly type: 'begun'; readonly head: string | undefined }
  | {
      readonly type: 'frame'
      readonly cursor: string
      readonly frame: JsonObject
      /** As it came, where the transport keeps it. */
      readonly text?: string
    }
  /** The cursor moved past entries that have no frame in this dialect. */
  | { readonly type: 'moved'; readonly cursor: string }
  | { readonly type: 'gap'; readonly requested: string; readonly oldest: string; readonly head: string }
  | { readonly type: 'end'; readonly outcome: Outcome; readonly cursor: string | undefined }

export interface ReadRequest {
  readonly session: string
  /** What of the session is read. */
  readonly resource: 'events' | 'inputs'
  readonly dialect: string | undefined
  readonly coalesce: string | undefined
  /** Where to read on, asked anew whenever reading begins. */
  after(): string
}

/**
 * One connection that reads a session. Yields what came together, takes no more than its consumer does, and never
 * returns: after the end it is left, and whatever else stops it is thrown.
 */
export type Transport = (request: ReadRequest, attempt: Attempt) => AsyncGenerator<readonly Signal[], void>
