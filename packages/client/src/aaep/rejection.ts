import { type JsonObject, SluiceError } from '@sluice/protocol'
import { toError } from '../problem.ts'

/**
 * The error of a `subscription.rejected`, with `reason_code` in its details; undefined if `error` is any
 * other answer of the gateway.
 */
export function toRejection(error: SluiceError): SluiceError | undefined {
  const { reason_code, reason_message, retry_after_seconds } = error.details ?? {}
  if (typeof reason_code !== 'string') return undefined
  const wait = typeof retry_after_seconds === 'number' ? { retryAfterMs: retry_after_seconds * 1_000 } : {}
  return new SluiceError(isPassing(reason_code) ? 'closed' : error.code, {
    ...(typeof reason_message === 'string' ? { message: reason_message } : {}),
    details: { ...wait, ...error.details },
  })
}

/** The HTTP status of a rejection (docs/aaep.md, "Handshake"). */
const statusByReason: Readonly<Record<string, number>> = {
  version_unsupported: 422,
  manifest_signature_required: 422,
  capabilities_incompatible: 422,
  rate_limit: 429,
  authentication_required: 401,
  authorization_denied: 403,
  transport_unavailable: 503,
}

/** The error of a `subscription.rejected` that arrived as a message. */
export function fromRejected(message: JsonObject): SluiceError {
  const reason = String(message['reason_code'])
  const status = Object.hasOwn(statusByReason, reason) ? (statusByReason[reason] ?? 400) : 400
  const error = toError(message, status, { status })
  return toRejection(error) ?? error
}

/** The `reason_code` of a rejection. */
export function reasonOf(error: unknown): unknown {
  return error instanceof SluiceError ? error.details?.['reason_code'] : undefined
}

/** The code with which a gateway closed a WebSocket. */
export function closeCodeOf(error: unknown): unknown {
  return error instanceof SluiceError ? error.details?.['close'] : undefined
}

/**
 * Whether the same request may succeed once the gateway is back. The caller must judge any other rejection.
 */
export function isPassing(reasonCode: unknown): boolean {
  return reasonCode === 'transport_unavailable'
}
