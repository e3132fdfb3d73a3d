/** What could not be read. Everything that is not listed was. */
export interface LogLoss {
  readonly session?: string
  /** The first and the last entry. */
  readonly fromSeq?: number
  readonly toSeq?: number
  /** The size of what is lost, as far as it is known. */
  readonly bytes?: number
  readonly file?: string
  readonly message: string
}

export type OnLoss = (loss: LogLoss) => void
