import type { SessionEnd } from '../../events.ts'
import type { JsonValue } from '../../json.ts'
import { maxMessageBytes, truncateUtf8 } from './bounds.ts'
import { errorCodes } from './wire.ts'

/** The error of a completion, without its data. */
export interface ErrorText {
  readonly code?: (typeof errorCodes)[number]
  readonly message: string
}

/** The error that a completion gives for a run that did not complete. */
export function toError({ outcome, error }: SessionEnd): ErrorText {
  if (outcome === 'cancelled') return { code: 'Backend', message: 'cancelled' }
  const message = truncateUtf8(
    error?.message || `The run has ${outcome === 'failed' ? 'failed' : 'been rejected'}.`,
    maxMessageBytes,
  )
  if (outcome === 'rejected') return { code: 'InvalidRequest', message }
  return isErrorCode(error?.code) ? { code: error.code, message } : { message }
}

export function isErrorCode(code: JsonValue | undefined): code is (typeof errorCodes)[number] {
  return errorCodes.some((known) => known === code)
}

/** A cancelled run completes with `Backend("cancelled")`. */
export function isCancelled(code: string | undefined, message: string): boolean {
  return (
    (code === undefined || code === 'Backend') &&
    (message === 'cancelled' || message === 'backend error: cancelled')
  )
}
