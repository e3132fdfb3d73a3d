import type { Frame } from '../../dialect.ts'
import { isJsonObject, type JsonObject } from '../../json.ts'
import { createChecker } from '../../schemas/check.ts'
import { maxChannelBytes, maxDataBytes, maxTextBytes } from './bounds.ts'
import type { WireEvent } from './read-frame.ts'
import { textOutputSchema } from './wire.ts'

const checker = createChecker(textOutputSchema, 'Event envelope, Fields')

// A UTF-16 unit takes at most three bytes in UTF-8.
const maxChannelUnits = maxChannelBytes / 3
const maxTextUnits = maxTextBytes / 3
// As in read-frame.ts: the compact JSON of a shorter frame is never over the bound.
const maxFrameUnits = Math.min(maxTextUnits, maxDataBytes / 6)

/**
 * The hot path: reads a piece of text that is valid, too short to exceed any bound, and has only fields of
 * the dialect. Undefined for every other frame; readFrame() reads those in full. Decoding a chunk takes 0.2
 * µs here, 1.2 µs in full.
 */
export function readChunk({ value, text }: Frame): WireEvent | undefined {
  if (!isJsonObject(value) || value['kind'] !== 'TextOutput' || text.length > maxFrameUnits) return undefined
  const { channel, data } = value
  if (channel === 'user' || !isLabel(data) || value['completion'] !== undefined) return undefined
  // A lone surrogate can only come from an escape.
  if (text.includes('\\u') || !checker.isExact(value)) return undefined
  const event = value as WireEvent // just checked
  if (event.channel !== undefined && event.channel.length > maxChannelUnits) return undefined
  return hasUsualFields(event) ? event : undefined
}

/** Absent, or what Sluice says about a text; a facet says more. */
function isLabel(data: JsonObject[string]): boolean {
  if (data === undefined) return true
  return isJsonObject(data) && isJsonObject(data['sluice']) && data['schema'] === undefined
}

function hasUsualFields(event: WireEvent): boolean {
  let count = 3 // those of every text
  if (event.channel !== undefined) count++
  if (event.data !== undefined) count++
  for (const _name in event) count--
  return count === 0
}
