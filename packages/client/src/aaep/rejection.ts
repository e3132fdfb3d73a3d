import { SluiceError } from '@sluice/protocol'

/**
 * The error of a `subscription.rejected`, with `reason_code` in its details; undefined when `error` is another answer
 * of the gateway.
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

/** Whether the same request may be taken when the gateway is back. Any other rejection is for the caller to judge. */
export function isPassing(reasonCode: unknown): boolean {
  return reasonCode === 'transport_unavailable'
}
