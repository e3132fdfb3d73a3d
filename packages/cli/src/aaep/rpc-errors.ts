import { isJsonObject, type JsonObject, SluiceError } from '@sluice/protocol'
import { type RpcError, rpcCodes } from './json-rpc.ts'

/** A failure as a JSON-RPC error. The data of a rejected subscription is its `subscription.rejected`. */
export function toRpcError(error: unknown): RpcError {
  if (!(error instanceof SluiceError)) return { code: rpcCodes.failed, message: 'The request failed.' }
  const { code, message, details } = error
  const { reason_code, retry_after_seconds } = details ?? {}
  if (typeof reason_code !== 'string') return { code: rpcCodes.failed, message, data: { code } }
  const wait = typeof retry_after_seconds === 'number' ? { retry_after_seconds } : {}
  return {
    code: rpcCodes.rejected,
    message,
    data: { type: 'subscription.rejected', reason_code, reason_message: message, ...wait },
  }
}

/** The `subscription.close` that the producer sends after the events have ended or failed. */
export function toClosing(subscription_id: string, failure: unknown): JsonObject {
  const about = { type: 'subscription.close', subscription_id }
  if (failure === undefined)
    return { ...about, reason_code: 'sessions_ended', reason_message: 'All sessions have ended.' }
  const { data, message } = toRpcError(failure)
  const code = isJsonObject(data) ? (data['reason_code'] ?? data['code']) : undefined
  return { ...about, reason_code: code ?? 'unknown', reason_message: message }
}
