/** A frame as a client handed it out. */
export interface SeenFrame {
  readonly id: string
  readonly data: string
}

/** A client that reads one stream and comes back by its own means when it breaks off. */
export interface StockReader {
  /** All frames, over all connections. */
  frames(): readonly SeenFrame[] | Promise<readonly SeenFrame[]>
  /** The outcome in `sluice.end`, once it came. */
  outcome(): string | undefined | Promise<string | undefined>
  /** Resolves when the client gave up or had everything, and tries no more; answers the status that made it stop, if it tells. */
  readonly stopped: Promise<number | undefined>
  close(): void | Promise<void>
}

/** Opens a stream at an address. */
export type OpenReader = (url: string) => StockReader | Promise<StockReader>
