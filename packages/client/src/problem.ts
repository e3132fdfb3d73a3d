import {
  type ErrorCode,
  errorTable,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  SluiceError,
} from '@sluice/protocol'

/** For answers that are not a gateway's own, such as a proxy's. */
const codeByStatus: Readonly<Record<number, ErrorCode>> = {
  400: 'bad_request',
  401: 'unauthenticated',
  403: 'forbidden',
  404: 'unknown_route',
  405: 'method_not_allowed',
  406: 'not_acceptable',
  408: 'request_timeout',
  413: 'body_too_large',
  415: 'unsupported_media_type',
  425: 'overloaded',
  426: 'upgrade_required',
  429: 'rate_limited',
  431: 'headers_too_large',
}

/** The error that an answer tells that is not 2xx. Never throws: a body that cannot be read leaves the status. */
export async function readProblem(response: Response, nowMs: number): Promise<SluiceError> {
  const body = await readObject(response)
  const retryAfterMs = parseRetryAfter(response.headers.get('retry-after'), nowMs)
  const extra = { status: response.status, ...(retryAfterMs === undefined ? {} : { retryAfterMs }) }
  return toError(body, response.status, extra)
}

/** The error that a problem names: by its code, or by `status` when the code is not known here. */
export function toError(body: JsonObject, status: number, extra: JsonObject = {}): SluiceError {
  const code = knownCode(body['code']) ?? codeByStatus[status] ?? (status < 500 ? 'bad_request' : 'internal')
  const message = body['detail'] ?? body['message']
  const details = Object.entries(body).filter(
    (field): field is [string, JsonValue] => field[1] !== undefined && !nonDetails.has(field[0]),
  )
  return new SluiceError(code, {
    ...(typeof message === 'string' ? { message } : {}),
    details: { ...Object.fromEntries(details), ...extra },
  })
}

/** What an error says already, or what belongs to the message that carried it. */
const nonDetails: ReadonlySet<string> = new Set(['type', 'title', 'detail', 'message', 'instance', 'ref'])

function knownCode(code: unknown): ErrorCode | undefined {
  return typeof code === 'string' && Object.hasOwn(errorTable, code) ? (code as ErrorCode) : undefined // a key of the table
}

/** Whether the same request may succeed later. */
export function isRetryable(error: unknown): error is SluiceError {
  return error instanceof SluiceError && errorTable[error.code].retryable
}

/** How long the gateway asked to wait. */
export function retryAfterOf(error: unknown): number | undefined {
  const value = error instanceof SluiceError ? error.details?.['retryAfterMs'] : undefined
  return typeof value === 'number' ? value : undefined
}

/** A failure of the network or of what stands between, with its cause. */
export function toUnreachable(cause: unknown): SluiceError {
  return cause instanceof SluiceError ? cause : new SluiceError('gateway_unreachable', { cause })
}

/** Seconds or a date (RFC 9110 §10.2.3), as milliseconds from now; at most an hour is believed. */
export function parseRetryAfter(value: string | null, nowMs: number): number | undefined {
  if (value === null || value.trim() === '') return undefined
  const ms = /^\d+$/.test(value.trim()) ? Number(value) * 1_000 : Date.parse(value) - nowMs
  return Number.isNaN(ms) ? undefined : Math.min(Math.max(ms, 0), 3_600_000)
}

async function readObject(response: Response): Promise<JsonObject> {
  try {
    const value: unknown = await response.json()
    return isJsonObject(value) ? value : {}
  } catch {
    return {}
  }
}
