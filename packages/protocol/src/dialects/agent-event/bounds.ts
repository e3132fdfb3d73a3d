import { maxFrameDepth } from '../../intake.ts'
import { isDeeperThan, type JsonValue } from '../../json.ts'
import { stringifyWellFormed } from '../../well-formed-json.ts'

// Seed 003, "Constraints": all in bytes of UTF-8.
export const maxChannelBytes = 128
export const maxTextBytes = 65_536
export const maxMessageBytes = 4_096
export const maxDataBytes = 65_536

/** The end of a text that was cut. */
export const truncationSuffix = '…(truncated)'
const suffixBytes = 14

/** Replaces data over its bound. */
export const droppedData = { dropped: { reason: 'oversize' } } as const satisfies JsonValue

/** The length of `text` in UTF-8; a lone surrogate counts as U+FFFD. */
export function utf8Length(text: string): number {
  let bytes = text.length
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index)
    if (unit < 0x80) continue
    if (unit < 0x800) bytes += 1
    else if (isPair(text, index)) {
      bytes += 2
      index++
    } else bytes += 2
  }
  return bytes
}

export function exceedsUtf8(text: string, boundBytes: number): boolean {
  if (text.length * 3 <= boundBytes) return false
  return text.length > boundBytes || utf8Length(text) > boundBytes
}

/**
 * Cuts a text over its bound so that it fits together with the suffix. A bound too small for the suffix
 * leaves `…` or nothing.
 */
export function truncateUtf8(text: string, boundBytes: number): string {
  const whole = text.toWellFormed()
  if (!exceedsUtf8(whole, boundBytes)) return whole
  if (boundBytes <= suffixBytes) return '…'.slice(0, cutUtf8('…', 0, boundBytes))
  return whole.slice(0, cutUtf8(whole, 0, boundBytes - suffixBytes)) + truncationSuffix
}

/**
 * Cuts a text into pieces within the bound, in order and between code points; joined, they are the whole
 * text.
 */
export function splitUtf8(text: string, boundBytes: number): readonly string[] {
  const whole = text.toWellFormed()
  if (!exceedsUtf8(whole, boundBytes)) return [whole]
  const pieces: string[] = []
  for (let start = 0; start < whole.length; ) {
    const cut = cutUtf8(whole, start, boundBytes)
    // A code point larger than the bound stays whole.
    const end = cut > start ? cut : start + (isPair(whole, start) ? 2 : 1)
    pieces.push(whole.slice(start, end))
    start = end
  }
  return pieces
}

/** Seed 003: the length of the compact JSON in UTF-8. */
export function serializedJsonBytes(value: JsonValue): number {
  return utf8Length(stringifyWellFormed(value))
}

/** Data in the form in which it may be sent: whole, or a note that it was dropped. */
export function boundData(data: JsonValue): JsonValue {
  return fitsData(data) ? data : droppedData
}

export function fitsData(data: JsonValue): boolean {
  // A reader counts the frame around the data as another level.
  return !isDeeperThan(data, maxFrameDepth - 1) && serializedJsonBytes(data) <= maxDataBytes
}

/** The UTF-16 index up to which `text`, from `start` on, has at most `boundBytes` bytes. */
function cutUtf8(text: string, start: number, boundBytes: number): number {
  let bytes = 0
  let index = start
  while (index < text.length) {
    const unit = text.charCodeAt(index)
    const pair = unit >= 0x800 && isPair(text, index)
    bytes += unit < 0x80 ? 1 : unit < 0x800 ? 2 : pair ? 4 : 3
    if (bytes > boundBytes) break
    index += pair ? 2 : 1
  }
  return index
}

function isPair(text: string, index: number): boolean {
  return (text.charCodeAt(index) & 0xfc00) === 0xd800 && (text.charCodeAt(index + 1) & 0xfc00) === 0xdc00
}
