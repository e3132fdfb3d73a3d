import { type ErrorCode, errorTable, isJsonObject, type JsonObject, SluiceError } from '@sluice/protocol'
import type { GatewayConnection } from './gateway-connection.ts'

export interface JsonRequest {
  /** Each part is percent-encoded. */
  readonly path: readonly string[]
  readonly query?: Readonly<Record<string, string | undefined>>
  readonly headers?: Readonly<Record<string, string>>
  readonly body: string
}

/**
 * A POST that is answered with a JSON object. Throws the error that the gateway tells, and `gateway_unreachable`
 * when none answers or what answers is no gateway.
 */
export async function postForJson(
  { url, token }: GatewayConnection,
  request: JsonRequest,
): Promise<JsonObject> {
  const { path, query = {}, headers = {}, body } = request
  const target = new URL(path.map(encodeURIComponent).join('/'), url.endsWith('/') ? url : `${url}/`)
  for (const [name, value] of Object.entries(query))
    if (value !== undefined) target.searchParams.set(name, value)
  const response = await send(target, {
    method: 'POST',
    headers: {
      accept: 'application/json',
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      ...headers,
    },
    body,
  })
  const answer = await response
    .json()
    .then((value: unknown) => (isJsonObject(value) ? value : undefined))
    .catch(() => undefined)
  if (!response.ok) throw toError(response, answer)
  if (answer === undefined) throw unreachable(target)
  return answer
}

async function send(target: URL, init: RequestInit): Promise<Response> {
  try {
    return await fetch(target, init)
  } catch (cause) {
    throw unreachable(target, cause)
  }
}

function unreachable(target: URL, cause?: unknown): SluiceError {
  return new SluiceError('gateway_unreachable', { message: `No gateway answers at ${target.origin}.`, cause })
}

/** `Retry-After` becomes the detail `retryAfterMs`. */
function toError(response: Response, problem: JsonObject | undefined): SluiceError {
  const code = problem?.['code']
  const known = typeof code === 'string' && isErrorCode(code) ? code : undefined
  const detail = problem?.['detail'] ?? problem?.['title']
  const afterSeconds = Number(response.headers.get('retry-after') ?? Number.NaN)
  return new SluiceError(known ?? 'gateway_unreachable', {
    message:
      known === undefined
        ? `The server at ${new URL(response.url).origin} is not a gateway (HTTP ${response.status}).`
        : typeof detail === 'string'
          ? detail
          : errorTable[known].message,
    ...(Number.isFinite(afterSeconds) ? { details: { retryAfterMs: afterSeconds * 1000 } } : {}),
  })
}

function isErrorCode(code: string): code is ErrorCode {
  return Object.hasOwn(errorTable, code)
}
