import { isJsonObject, type JsonObject, SluiceError } from '@sluice/protocol'

/**
 * Reads what a gateway sent. Anything but a JSON object is `gateway_unreachable`: it did not come from a
 * gateway.
 */
export function parseObject(text: string): JsonObject {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (cause) {
    throw new SluiceError('gateway_unreachable', { message: 'What came is not JSON.', cause })
  }
  if (isJsonObject(value)) return value
  throw new SluiceError('gateway_unreachable', { message: 'What came is not a JSON object.' })
}
