import type { Notice } from '../events.ts'
import { isJsonObject, type JsonValue } from '../json.ts'

/**
 * The content of a frame: the object of the stream, which a JSON-RPC response may wrap, or the error of a
 * response.
 */
export interface Envelope {
  readonly inner: JsonValue
  readonly path: string
  readonly error?: Notice
}

export function readEnvelope(value: JsonValue): Envelope {
  if (!isJsonObject(value) || value['jsonrpc'] === undefined) return { inner: value, path: '' }
  const { result, error } = value
  if (result !== undefined) return { inner: result, path: '/result' }
  if (!isJsonObject(error)) return { inner: value, path: '' }
  const { message, code } = error
  const notice: Notice = {
    kind: 'notice',
    level: 'error',
    text: typeof message === 'string' && message !== '' ? message : 'The agent answered with an error.',
    ...(typeof code === 'number' ? { code: String(code) } : {}),
  }
  return { inner: value, path: '', error: notice }
}
