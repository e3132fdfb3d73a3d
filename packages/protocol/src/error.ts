interface ErrorRow {
  readonly status: number
  readonly exit: number
  readonly retryable: boolean
  readonly message: string
}

/** Every error that a caller may meet, with what it means over HTTP and as an exit code. */
export const errorTable = {
  usage: { status: 400, exit: 2, retryable: false, message: 'The command was not understood.' },
  unknown_dialect: { status: 400, exit: 2, retryable: false, message: 'No dialect has this name.' },
  undetected_dialect: {
    status: 400,
    exit: 2,
    retryable: false,
    message: 'The dialect of the input was not recognised.',
  },
  bad_cursor: {
    status: 400,
    exit: 2,
    retryable: false,
    message: 'The cursor is not of the form seq[.units[.frames]].',
  },
  unreadable_input: { status: 400, exit: 2, retryable: false, message: 'The input cannot be read.' },
} as const satisfies Record<string, ErrorRow>

export type ErrorCode = keyof typeof errorTable

/** The one error class. Callers switch on `code`, never on the message. */
export class SluiceError extends Error {
  readonly code: ErrorCode
  readonly details: Readonly<Record<string, string | number>> | undefined

  constructor(
    code: ErrorCode,
    options: { message?: string; cause?: unknown; details?: Readonly<Record<string, string | number>> } = {},
  ) {
    super(
      options.message ?? errorTable[code].message,
      options.cause === undefined ? undefined : { cause: options.cause },
    )
    this.name = 'SluiceError'
    this.code = code
    this.details = options.details
  }
}
