/** A frame as it came over the wire, byte for byte. */
export interface ReadFrame {
  readonly cursor: string
  readonly text: string
}

/** What is read, and from where. */
export interface ReadRequest {
  readonly url: string
  readonly session: string
  readonly dialect: string
  readonly coalesce?: string
  readonly after: string
}

/** How a connection came to its end. */
export interface Closing {
  /**
   * `ended`: the gateway said that the session has ended. `clean`: the transport ended in its regular way without
   * that. `reset`: it broke off. `cut`: by the reader itself.
   */
  readonly how: 'ended' | 'clean' | 'reset' | 'cut'
  /** Of a WebSocket. */
  readonly code?: number
  /** Of server-sent events: what the gateway asked for with `retry:`. */
  readonly retryMs?: number
}

/** One connection that reads one session. */
export interface Reading {
  /** Resolves when the gateway has taken the reader in; rejects when it refuses it. */
  readonly opened: Promise<void>
  readonly closed: Promise<Closing>
  /** Breaks the connection off. No frame is handed over after it. */
  cut(): void
}

/** Opens a connection; frames are handed over as they come. */
export type Transport = (request: ReadRequest, onFrame: (frame: ReadFrame) => void) => Reading

/** The frame and its cursor out of `{"cursor":"…","frame":…}`, without reading the frame. */
export function takeFrame(text: string): ReadFrame {
  const [head = '', cursor = ''] = /^\{"cursor":"([\d.-]+)","frame":/.exec(text) ?? []
  if (head === '') throw new Error(`no frame with a cursor: ${text.slice(0, 200)}`)
  return { cursor, text: text.slice(head.length, -1) }
}

export function toQuery(request: ReadRequest): string {
  const { dialect, coalesce, after } = request
  return String(new URLSearchParams({ dialect, after, ...(coalesce === undefined ? {} : { coalesce }) }))
}
