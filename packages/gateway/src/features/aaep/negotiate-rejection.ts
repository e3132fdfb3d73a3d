import { type ErrorCode, errorTable, omitUndefined } from '@sluice/protocol'
import type { Rejection, RejectionCode } from './agreement.ts'

/** The HTTP status and the WebSocket close code of each rejection (docs/aaep.md, Handshake). */
export const rejectionTable: Readonly<
  Record<RejectionCode, { readonly status: number; readonly close: number }>
> = {
  version_unsupported: { status: 422, close: 4001 },
  manifest_signature_required: { status: 422, close: 4001 },
  capabilities_incompatible: { status: 422, close: 4001 },
  rate_limit: { status: 429, close: 4001 },
  authentication_required: { status: 401, close: 4002 },
  authorization_denied: { status: 403, close: 4003 },
  transport_unavailable: { status: 503, close: 4001 },
  unknown: { status: 400, close: 4001 },
}

/** When to try again, for rejections where that may help. */
const retrySeconds: Partial<Record<RejectionCode, number>> = { rate_limit: 60, transport_unavailable: 5 }

/**
 * The rejection that reports an error of the gateway to a subscriber. Adds nothing to the text of the error
 * table.
 */
export function toRejection(code: ErrorCode): Rejection {
  const { status, message } = errorTable[code]
  const reason = reasonOf(status)
  const retryAfterSeconds = retrySeconds[reason]
  return omitUndefined({
    ok: false,
    code: reason,
    message,
    retryAfterSeconds,
  })
}

function reasonOf(status: number): RejectionCode {
  if (status === 401) return 'authentication_required'
  if (status === 403 || status === 404 || status === 410) return 'authorization_denied'
  if (status === 429) return 'rate_limit'
  return status >= 500 ? 'transport_unavailable' : 'unknown'
}
