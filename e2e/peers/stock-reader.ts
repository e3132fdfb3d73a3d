/** A frame as a client delivered it. */
export interface SeenFrame {
  readonly id: string
  readonly data: string
}

/** A client that reads one stream and reconnects by itself when the connection breaks. */
export interface StockReader {
  /** All frames, over all connections. */
  frames(): readonly SeenFrame[] | Promise<readonly SeenFrame[]>
  /** The outcome in `sluice.end`, once it has arrived. */
  outcome(): string | undefined | Promise<string | undefined>
  /** Resolves when the client has stopped for good, with the status that made it stop, if it reports that. */
  readonly stopped: Promise<number | undefined>
  close(): void | Promise<void>
}

/** Opens a stream at an address. */
export type OpenReader = (url: string) => StockReader | Promise<StockReader>
