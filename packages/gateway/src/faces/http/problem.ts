import { type ErrorCode, errorTable, SluiceError } from '@sluice/protocol'

/** An error as `application/problem+json` (RFC 9457). */
export interface Problem {
  readonly type: string
  readonly title: string
  readonly status: number
  readonly code: ErrorCode
  readonly detail: string
  readonly retryable: boolean
  readonly [detail: string]: unknown
}

export const problemMediaType = 'application/problem+json'
/** How long a client should wait before it repeats a request, unless the error says. */
const retryAfterSeconds = 1

export function toProblem(error: SluiceError): Problem {
  const { status, retryable, message } = errorTable[error.code]
  return {
    ...error.details,
    type: `urn:sluice:error:${error.code}`,
    title: message,
    status,
    code: error.code,
    detail: error.message,
    retryable,
  }
}

/**
 * Converts anything thrown into an error of ours; unforeseen errors become `internal`, and their messages are
 * not sent.
 */
export function toSluiceError(error: unknown): SluiceError {
  if (error instanceof SluiceError) return error
  const code = fastifyCodes[codeOf(error)]
  if (code !== undefined) return new SluiceError(code, { cause: error })
  const status = typeof error === 'object' && error !== null && 'statusCode' in error ? error.statusCode : 500
  if (typeof status === 'number' && status >= 400 && status < 500)
    return new SluiceError('bad_request', { cause: error })
  return new SluiceError('internal', { cause: error })
}

/** The Retry-After header of an error, if waiting may help. */
export function retryAfterOf(error: SluiceError): string | undefined {
  const asked = error.details?.['retryAfterSeconds']
  if (typeof asked === 'number') return String(asked)
  const { status } = errorTable[error.code]
  return status === 429 || status === 503 || status === 507 ? String(retryAfterSeconds) : undefined
}

const fastifyCodes: Readonly<Record<string, ErrorCode>> = {
  FST_ERR_CTP_BODY_TOO_LARGE: 'body_too_large',
  FST_ERR_CTP_INVALID_MEDIA_TYPE: 'unsupported_media_type',
  FST_ERR_BAD_URL: 'bad_request',
  FST_ERR_MAX_PARAM_LENGTH: 'bad_request',
}

function codeOf(error: unknown): string {
  return typeof error === 'object' && error !== null && 'code' in error ? String(error.code) : ''
}
