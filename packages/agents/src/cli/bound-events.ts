import {
  isDeeperThan,
  type JsonValue,
  maxFrameDepth,
  type SluiceEvent,
  type TextDelta,
} from '@sluice/protocol'

const maxTextUnits = 32_768
const maxPayloadBytes = 262_144
/** What a tool took or gave stands inside an event, and that inside an entry. */
const maxPayloadDepth = maxFrameDepth - 8
const suffix = '…(truncated)'

/** Events as a log takes them: long text in several, what a tool took or gave cut where it is too much. */
export function boundEvents(events: readonly SluiceEvent[]): readonly SluiceEvent[] {
  return events.every(isBounded) ? events : events.flatMap(bound)
}

function isBounded(event: SluiceEvent): boolean {
  switch (event.kind) {
    case 'text-delta':
      return event.text.length <= maxTextUnits
    case 'tool-call':
      return !isLarge(event.args)
    case 'tool-result':
      return !isLarge(event.result)
    default:
      return true
  }
}

function bound(event: SluiceEvent): readonly SluiceEvent[] {
  if (isBounded(event)) return [event]
  switch (event.kind) {
    case 'text-delta':
      return split(event)
    case 'tool-call':
      return [{ ...event, args: cut(event.args) }]
    case 'tool-result':
      return [{ ...event, result: cut(event.result) }]
    default:
      return [event]
  }
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
  // The depth first: what is too deep cannot be written as JSON.
  return isDeeperThan(value, maxPayloadDepth) || sizeOf(value) > maxPayloadBytes
}

function sizeOf(value: JsonValue): number {
  return Buffer.byteLength(typeof value === 'string' ? value : JSON.stringify(value))
}

/** A text keeps its beginning; anything else would not be what it was, and is left out. */
function cut(value: JsonValue | undefined): JsonValue {
  if (typeof value !== 'string') return { dropped: { reason: 'oversize' } }
  const bytes = Buffer.from(value).subarray(0, maxPayloadBytes - Buffer.byteLength(suffix))
  // What is left of a character that was cut through is no character.
  return new TextDecoder().decode(bytes, { stream: true }) + suffix
}
