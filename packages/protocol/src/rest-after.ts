import { countCodePoints, indexOfCodePoint } from './segment/code-points.ts'
import type { OutputState } from './session-state.ts'

/**
 * The part of `text` after the streamed text of an output; undefined if it does not begin with that. The part of a long
 * text that the state leaves out cannot be compared: only its length counts.
 */
export function restAfter({ text: streamed, omitted, held }: OutputState, text: string): string | undefined {
  if (omitted > 0 && countCodePoints(text) < omitted) return undefined
  const start = omitted === 0 ? 0 : indexOfCodePoint(text, omitted)
  const known = streamed + (held ?? '')
  const end = start + known.length
  // startsWith() goes through 32 KiB in 50 µs, this comparison in 1 µs.
  return text.slice(start, end) === known ? text.slice(end) : undefined
}
