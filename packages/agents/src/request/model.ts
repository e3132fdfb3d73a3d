import type { JsonObject } from '@sluice/protocol'
import { modelKey } from './extension-keys.ts'
import { invalidRequest } from './refusal.ts'
import { trimWhiteSpace } from './trim-white-space.ts'

const maxModelBytes = 128

/** The model that a request names; undefined where it names none. */
export function readModel(extensions: JsonObject): string | undefined {
  const value = extensions[modelKey]
  if (value === undefined) return undefined
  const model = typeof value === 'string' ? trimWhiteSpace(value) : ''
  if (model === '' || Buffer.byteLength(model) > maxModelBytes) throw invalidRequest(`invalid ${modelKey}`)
  return model
}
