import {
  isDeeperThan,
  type JsonValue,
  maxFrameDepth,
  type SluiceEvent,
  type TextDelta,
} from '@sluice/protocol'

const maxTextUnits = 32_768
const maxPayloadBytes = 262_144
/** The arguments and the result of a tool are inside an event, which is inside an entry. */
const maxPayloadDepth = maxFrameDepth - 8
const suffix = '…(truncated)'

/**
 * Events that a log accepts: long text in several deltas, arguments and results of tools cut where they are
 * too large.
 */
export function boundEvents(events: readonly SluiceEvent[]): readonly SluiceEvent[] {
  return events.every(isBounded) ? events : events.flatMap(bound)
}

function isBounded(event: SluiceEvent): boolean {
  if (event.kind === 'text-delta') return event.text.length <= maxTextUnits
  if (event.kind === 'tool-call') return !isLarge(event.args)
  return event.kind !== 'tool-result' || !isLarge(event.result)
}

function bound(event: SluiceEvent): readonly SluiceEvent[] {
  if (isBounded(event)) return [event]
  if (event.kind === 'text-delta') return split(event)
  if (event.kind === 'tool-call') return [{ ...event, args: cut(event.args) }]
  return event.kind === 'tool-result' ? [{ ...event, result: cut(event.result) }] : [event]
}

function split(delta: TextDelta): readonly SluiceEvent[] {
  const { text } = delta
  const pieces: SluiceEvent[] = []
  for (let start = 0; start < text.length; ) {
    const isInside = isHighSurrogate(text.charCodeAt(start + maxTextUnits - 1))
    const end = start + maxTextUnits - (isInside ? 1 : 0)
    pieces.push({ ...delta, text: text.slice(start, end) })
    start = end
  }
  return pieces
}

function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff
}

function isLarge(value: JsonValue | undefined): boolean {
  if (value === undefined || typeof value === 'number' || typeof value === 'boolean') return false
  // The depth first: JSON.stringify() fails on values that are too deep.
  return isDeeperThan(value, maxPayloadDepth) || sizeOf(value) > maxPayloadBytes
}

function sizeOf(value: JsonValue): number {
  return Buffer.byteLength(typeof value === 'string' ? value : JSON.stringify(value))
}

/** A text keeps its beginning; any other value would change its meaning, so it is dropped. */
function cut(value: JsonValue | undefined): JsonValue {
  if (typeof value !== 'string') return { dropped: { reason: 'oversize' } }
  const bytes = Buffer.from(value).subarray(0, maxPayloadBytes - Buffer.byteLength(suffix))
  // Leaves out the rest of a character that was cut in two.
  return new TextDecoder().decode(bytes, { stream: true }) + suffix
}
