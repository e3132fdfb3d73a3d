import type { JsonObject, Outcome } from '@sluice/protocol'
import type { Attempt } from './stay-connected.ts'

/** Server-sent events, or a WebSocket. */
export type TransportName = 'sse' | 'ws'

/** What a transport reads, whether or not the reader already has it. */
export type Signal =
  /**
   * Reading starts. `head` is the cursor of the session's last entry at that time, if the gateway sends it.
   */
  | { readonly type: 'begun'; readonly head: string | undefined }
  | {
      readonly type: 'frame'
      readonly cursor: string
      readonly frame: JsonObject
      /** The text as received, if the transport keeps it. */
      readonly text?: string
    }
  /** The cursor moved past entries that have no frame in this dialect. */
  | { readonly type: 'moved'; readonly cursor: string }
  | { readonly type: 'gap'; readonly requested: string; readonly oldest: string; readonly head: string }
  | { readonly type: 'end'; readonly outcome: Outcome; readonly cursor: string | undefined }

export interface ReadRequest {
  readonly session: string
  /** Which part of the session is read. */
  readonly resource: 'events' | 'inputs'
  readonly dialect: string | undefined
  readonly coalesce: string | undefined
  /** The cursor from which to read on, asked for again whenever reading starts. */
  after(): string
}

/**
 * One connection that reads a session. Yields items that arrived together, reads no faster than its consumer,
 * and never returns: the consumer leaves it at the end, and anything else that stops it is thrown.
 */
export type Transport = (request: ReadRequest, attempt: Attempt) => AsyncGenerator<readonly Signal[], void>
