import type { Frame } from '../../dialect.ts'
import { isJsonObject, type JsonObject } from '../../json.ts'
import { maxChannelBytes, maxDataBytes, maxTextBytes } from './bounds.ts'
import type { WireEvent } from './read-frame.ts'
import { agentKindPattern } from './wire.ts'

const agentKind = new RegExp(agentKindPattern)

// A UTF-16 unit takes at most three bytes in UTF-8.
const maxChannelUnits = maxChannelBytes / 3
const maxTextUnits = maxTextBytes / 3
// As in read-frame.ts: the compact JSON of a shorter frame is never over the bound.
const maxFrameUnits = Math.min(maxTextUnits, maxDataBytes / 6)

/**
 * The hot path: reads a piece of text that is valid, too short to exceed any bound, and has only fields of
 * the dialect. Undefined for every other frame; readFrame() reads those in full. Decoding a chunk takes 0.2
 * µs here, 1.2 µs in full. Checks by hand what the schema of a text says: that takes 30 ns less.
 */
export function readChunk({ value, text }: Frame): WireEvent | undefined {
  if (!isJsonObject(value) || value['kind'] !== 'TextOutput' || text.length > maxFrameUnits) return undefined
  const { agent_kind: kind, channel, data } = value
  if (typeof kind !== 'string' || !agentKind.test(kind) || typeof value['text'] !== 'string') return undefined
  if (channel === 'user' || !isLabel(data) || !hasUsualFields(value)) return undefined
  if (channel !== undefined && !(typeof channel === 'string' && channel.length <= maxChannelUnits))
    return undefined
  // A lone surrogate can only come from an escape.
  return text.includes('\\u') ? undefined : (value as WireEvent) // just checked
}

/** Absent, or what Sluice says about a text; a facet says more. */
function isLabel(data: JsonObject[string]): boolean {
  if (data === undefined) return true
  return isJsonObject(data) && isJsonObject(data['sluice']) && data['schema'] === undefined
}

function hasUsualFields(value: JsonObject): boolean {
  let count = 3 // those of every text
  if (value['channel'] !== undefined) count++
  if (value['data'] !== undefined) count++
  for (const _name in value) count--
  return count === 0
}
