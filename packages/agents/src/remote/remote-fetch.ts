/** An answer whose body is read as it comes. */
export interface RemoteStream {
  readonly status: number
  readonly contentType: string | undefined
  readonly body: AsyncIterable<Uint8Array>
  /** Lets go of the connection; reading it then ends or rejects. */
  close(): void
}

export interface RemotePost {
  readonly post: string
  readonly headers: Readonly<Record<string, string>>
  /** Until the head of the answer. */
  readonly timeoutMs: number
}

/**
 * Posts to an address elsewhere: the one way in which an agent of this package reaches the network. Whoever makes the
 * agent decides what may be reached, and throws `fetch_refused` for anything else. The signal lets go of it at any time.
 */
export type RemoteFetch = (url: string, post: RemotePost, signal: AbortSignal) => Promise<RemoteStream>
