import { errorTable, omitUndefined, SluiceError } from '@sluice/protocol'

/** What a log says about an error. */
export interface ErrorRecord {
  readonly type: string
  readonly code?: string
  /** From the table of errors; the message of any other error is never logged. */
  readonly message?: string
  readonly syscall?: string
  /** Where it was raised: the lines of its stack without the message. */
  readonly stack?: string
  readonly cause?: ErrorRecord
}

const MAX_CAUSES = 4

/**
 * An error without its own words: the message of a SyntaxError quotes the parsed text, that of a failed
 * lookup the name, and properties of an error may hold the request that caused it.
 */
export function toErrorRecord(error: unknown, depth = 0): ErrorRecord {
  if (!(error instanceof Error)) return { type: typeof error }
  const { code, syscall } = error as { code?: unknown; syscall?: unknown } // both checked by word()
  const type = word(error.name)
  const known = error instanceof SluiceError ? { message: errorTable[error.code].message } : {}
  const stack = framesOf(error)
  return {
    type: type ?? 'Error',
    ...omitUndefined({ code: word(code) === undefined ? undefined : String(code) }),
    ...known,
    ...omitUndefined({ syscall: word(syscall) === undefined ? undefined : String(syscall) }),
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

// A message may have lines that look like frames, so it is cut out as a whole. If the stack does not contain
// the message (it was changed later), the two cannot be distinguished.
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
