import {
  type ErrorCode,
  errorTable,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  omitUndefined,
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

/** The error of a response that is not 2xx. Never throws: if the body cannot be read, the status decides. */
export async function readProblem(response: Response, nowMs: number): Promise<SluiceError> {
  const body = await readObject(response)
  const retryAfterMs = parseRetryAfter(response.headers.get('retry-after'), nowMs)
  const extra = omitUndefined({ status: response.status, retryAfterMs })
  return toError(body, response.status, extra)
}

/** The error that a problem names: by its code, or by `status` if the code is unknown here. */
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

/** What the error already says, or what belongs to the message that carried it. */
const nonDetails: ReadonlySet<string> = new Set(['type', 'title', 'detail', 'message', 'instance', 'ref'])

function knownCode(code: unknown): ErrorCode | undefined {
  return typeof code === 'string' && Object.hasOwn(errorTable, code) ? (code as ErrorCode) : undefined // a key of the table
}

/** A failure of the network or of something on the way, with its cause. */
export function toUnreachable(cause: unknown): SluiceError {
  return cause instanceof SluiceError ? cause : new SluiceError('gateway_unreachable', { cause })
}

/** Reads seconds or a date (RFC 9110 §10.2.3) as milliseconds from now, at most an hour. */
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
