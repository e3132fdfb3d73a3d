/** A response whose body is read as it arrives. */
export interface RemoteStream {
  readonly status: number
  readonly contentType: string | undefined
  readonly body: AsyncIterable<Uint8Array>
  /** Closes the connection; reading it then ends or rejects. */
  close(): void
}

export interface RemotePost {
  readonly post: string
  readonly headers: Readonly<Record<string, string>>
  /** Until the head of the response arrives. */
  readonly timeoutMs: number
}

/**
 * Posts to a remote address: the only way in which an agent of this package reaches the network. The
 * implementation decides which addresses are allowed, and throws `fetch_refused` for all others. The signal
 * closes the connection at any time.
 */
export type RemoteFetch = (url: string, post: RemotePost, signal: AbortSignal) => Promise<RemoteStream>
