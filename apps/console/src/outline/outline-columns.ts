/** What charts and the timeline know about every entry, in columns: entry n is at index n. */
export interface OutlineColumns {
  readonly count: number
  /** Milliseconds since 1970, never decreasing. */
  readonly at: ArrayLike<number>
  /** Code points of text. */
  readonly characters: ArrayLike<number>
  /** Milliseconds from the producer's time to the log; NaN if unknown. */
  readonly delayMs: ArrayLike<number>
  readonly calls: readonly CallSpan[]
}

/** A tool call from its start to its result. */
export interface CallSpan {
  readonly call: string
  readonly tool: string
  readonly seq: number
  readonly at: number
  /** Absent while it runs. */
  readonly endSeq?: number
  readonly endAt?: number
  readonly status?: 'success' | 'error' | 'timeout'
}

/** How late a live entry arrived at this page. */
export interface LagSample {
  readonly seq: number
  readonly at: number
  readonly lagMs: number
}
