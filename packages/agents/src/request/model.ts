import { type JsonObject, trimWhiteSpace } from '@sluice/protocol'
import { modelKey } from './extension-keys.ts'
import { invalidRequest } from './refusal.ts'

const maxModelBytes = 128
const control = /\p{Cc}/u

/** The model that a request names; undefined if it names none. */
export function readModel(extensions: JsonObject): string | undefined {
  const value = extensions[modelKey]
  if (value === undefined) return undefined
  const model = typeof value === 'string' ? trimWhiteSpace(value) : ''
  if (model === '' || control.test(model) || Buffer.byteLength(model) > maxModelBytes)
    throw invalidRequest(`invalid ${modelKey}`)
  return model
}
