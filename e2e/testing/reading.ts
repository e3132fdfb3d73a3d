import { omitUndefined } from '@sluice/protocol'
/** A frame as received, byte for byte. */
export interface ReadFrame {
  readonly cursor: string
  readonly text: string
}

/** What to read, and from where. */
export interface ReadRequest {
  readonly url: string
  readonly session: string
  readonly dialect: string
  readonly coalesce?: string
  readonly after: string
}

/** How a connection ended. */
export interface Closing {
  /**
   * `ended`: the gateway said that the session has ended. `clean`: the transport ended regularly without
   * that. `reset`: it broke off. `cut`: the reader cut it.
   */
  readonly how: 'ended' | 'clean' | 'reset' | 'cut'
  /** Of a WebSocket. */
  readonly code?: number
  /** Of server-sent events: the gateway's `retry:`. */
  readonly retryMs?: number
}

/** One connection that reads one session. */
export interface Reading {
  /** Resolves when the gateway has accepted the reader; rejects if it refuses. */
  readonly opened: Promise<void>
  readonly closed: Promise<Closing>
  /** Breaks the connection. No frame is delivered afterwards. */
  cut(): void
}

/** Opens a connection; frames are delivered as they arrive. */
export type Transport = (request: ReadRequest, onFrame: (frame: ReadFrame) => void) => Reading

/** Takes the frame and its cursor out of `{"cursor":"…","frame":…}`, without parsing the frame. */
export function takeFrame(text: string): ReadFrame {
  const [head = '', cursor = ''] = /^\{"cursor":"([a-z\d.-]+)","frame":/.exec(text) ?? []
  if (head === '') throw new Error(`no frame with a cursor: ${text.slice(0, 200)}`)
  return { cursor, text: text.slice(head.length, -1) }
}

export function toQuery(request: ReadRequest): string {
  const { dialect, coalesce, after } = request
  return String(new URLSearchParams(omitUndefined({ dialect, after, coalesce })))
}
