import { errorTable, SluiceError } from '@sluice/protocol'

/** What a log tells of an error. */
export interface ErrorRecord {
  readonly type: string
  readonly code?: string
  /** Of the table of errors; the message of any other error is never told. */
  readonly message?: string
  readonly syscall?: string
  /** Where it was raised: the lines of its stack without its message. */
  readonly stack?: string
  readonly cause?: ErrorRecord
}

const MAX_CAUSES = 4

/**
 * An error without its own words: the message of a SyntaxError quotes what was parsed, that of a failed lookup the
 * name, and properties of an error may hold the request that it came from.
 */
export function toErrorRecord(error: unknown, depth = 0): ErrorRecord {
  if (!(error instanceof Error)) return { type: typeof error }
  const { code, syscall } = error as { code?: unknown; syscall?: unknown } // both checked by word()
  const type = word(error.name)
  const known = error instanceof SluiceError ? { message: errorTable[error.code].message } : {}
  const stack = framesOf(error)
  return {
    type: type ?? 'Error',
    ...(word(code) === undefined ? {} : { code: String(code) }),
    ...known,
    ...(word(syscall) === undefined ? {} : { syscall: String(syscall) }),
    ...(stack === '' ? {} : { stack }),
    ...(error.cause === undefined || depth === MAX_CAUSES
      ? {}
      : { cause: toErrorRecord(error.cause, depth + 1) }),
  }
}

const word = (value: unknown): string | undefined =>
  (typeof value === 'string' || typeof value === 'number') && /^\w{1,64}$/.test(String(value))
    ? String(value)
    : undefined

// A message may have lines that look like frames, so it is cut out as a whole. Where the stack does not hold the
// message (it was changed later) nothing tells the two apart.
function framesOf({ stack = '', message }: Error): string {
  const at = stack.indexOf(message)
  if (at < 0) return ''
  return stack
    .slice(at + message.length)
    .split('\n')
    .slice(1)
    .filter((line) => line.startsWith('    at '))
    .map((line) => line.trim())
    .join('\n')
}
