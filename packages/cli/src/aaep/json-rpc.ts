import { encodeNdjson, isJsonObject, type JsonObject, type JsonValue, omitUndefined } from '@sluice/protocol'

export type RpcId = string | number | null

/** A request, or a notification where it has no id (JSON-RPC 2.0 §4). */
export interface RpcCall {
  readonly id?: RpcId
  readonly method: string
  readonly params: JsonObject
}

export interface RpcError {
  readonly code: number
  readonly message: string
  readonly data?: JsonObject
}

export type RpcRead =
  | { readonly ok: true; readonly call: RpcCall }
  | { readonly ok: false; readonly id: RpcId; readonly error: RpcError }
  /** An answer to something that was asked of the peer. */
  | { readonly ok: true; readonly call?: undefined }

/** JSON-RPC 2.0 §5.1; what lies beyond -32000 is free for use. */
export const rpcCodes = {
  notJson: -32_700,
  noRequest: -32_600,
  unknownMethod: -32_601,
  badParams: -32_602,
  failed: -32_000,
  rejected: -32_001,
} as const

/** Reads one line. Never throws; the messages do not quote it. */
export function readRpc(text: string): RpcRead {
  let value: JsonValue
  try {
    value = JSON.parse(text) as JsonValue // JSON.parse returns nothing else
  } catch {
    return { ok: false, id: null, error: { code: rpcCodes.notJson, message: 'This is not one JSON value.' } }
  }
  const refuse = (id: RpcId, code: number, message: string): RpcRead => ({
    ok: false,
    id,
    error: { code, message },
  })
  if (!isJsonObject(value))
    return refuse(null, rpcCodes.noRequest, 'Send one request per line; batches are not supported.')
  const { id, method, params = {} } = value
  const known = isId(id) ? id : null
  if (value['jsonrpc'] !== '2.0') return refuse(known, rpcCodes.noRequest, 'jsonrpc must be "2.0".')
  if (method === undefined && ('result' in value || 'error' in value)) return { ok: true }
  if (typeof method !== 'string') return refuse(known, rpcCodes.noRequest, 'method must be a string.')
  if (id !== undefined && !isId(id))
    return refuse(null, rpcCodes.noRequest, 'id must be a string, a number or null.')
  if (!isJsonObject(params)) return refuse(known, rpcCodes.badParams, 'params must be an object.')
  return { ok: true, call: omitUndefined({ method, params, id }) }
}

function isId(id: JsonValue | undefined): id is RpcId {
  return id === null || typeof id === 'string' || typeof id === 'number'
}

export function encodeResult(id: RpcId, result: JsonValue): string {
  return encodeNdjson(JSON.stringify({ jsonrpc: '2.0', id, result }))
}

export function encodeError(id: RpcId, error: RpcError): string {
  return encodeNdjson(JSON.stringify({ jsonrpc: '2.0', id, error }))
}

export function encodeNotification(method: string, params: object): string {
  return encodeNdjson(JSON.stringify({ jsonrpc: '2.0', method, params }))
}
