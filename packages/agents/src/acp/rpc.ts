import { isJsonObject, type JsonObject, type JsonValue } from '@sluice/protocol'

export type RpcId = string | number | null

/** A JSON-RPC 2.0 message. Only its envelope has been checked. */
export type RpcMessage =
  | { readonly type: 'result'; readonly id: RpcId; readonly result: JsonValue }
  | { readonly type: 'error'; readonly id: RpcId; readonly error: RpcError }
  | { readonly type: 'request'; readonly id: RpcId; readonly method: string; readonly params: JsonObject }
  | { readonly type: 'notification'; readonly method: string; readonly params: JsonObject }

export interface RpcError {
  readonly code: number
  /** The peer's message. For recognition only, never shown. */
  readonly words: string
}

/** The error codes of the Agent Client Protocol and of JSON-RPC that Sluice handles. */
export const rpcCodes = {
  methodNotFound: -32_601,
  authRequired: -32_000,
  notFound: -32_002,
  cancelled: -32_800,
} as const

/** Reads a message; undefined for anything else. The Agent Client Protocol has no batches. */
export function readRpc(line: JsonValue): RpcMessage | undefined {
  if (!isJsonObject(line) || line['jsonrpc'] !== '2.0') return undefined
  const { id, method, params, result, error } = line
  if (typeof method === 'string') {
    const given = isJsonObject(params) ? params : {}
    if (id === undefined) return { type: 'notification', method, params: given }
    return isRpcId(id) ? { type: 'request', id, method, params: given } : undefined
  }
  if (method !== undefined || !isRpcId(id)) return undefined
  if (error !== undefined) return { type: 'error', id, error: readError(error) }
  return result === undefined ? undefined : { type: 'result', id, result }
}

function readError(error: JsonValue): RpcError {
  if (!isJsonObject(error)) return { code: 0, words: '' }
  const { code, message, data } = error
  const details = isJsonObject(data) ? data['details'] : data
  const words = [message, details].filter((part) => typeof part === 'string').join(' ')
  return { code: Number.isSafeInteger(code) ? Number(code) : 0, words }
}

export function isRpcId(id: JsonValue | undefined): id is RpcId {
  return id === null || typeof id === 'string' || typeof id === 'number'
}

/** One line, without its line end. */
export function encodeRequest(id: RpcId, method: string, params: object): string {
  return JSON.stringify({ jsonrpc: '2.0', id, method, params })
}

export function encodeNotification(method: string, params: object): string {
  return JSON.stringify({ jsonrpc: '2.0', method, params })
}

export function encodeResult(id: RpcId, result: object): string {
  return JSON.stringify({ jsonrpc: '2.0', id, result })
}

export function encodeError(id: RpcId, code: number, message: string): string {
  return JSON.stringify({ jsonrpc: '2.0', id, error: { code, message } })
}
