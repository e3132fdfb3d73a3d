import { timestampPattern } from './wire/vocabulary.ts'

const timestampFormat = new RegExp(timestampPattern)
const lastTime = Date.UTC(9999, 11, 31, 23, 59, 59, 999)
const minuteMs = 60_000

/** A time as AAEP writes it, to the millisecond. */
function toTimestamp(ms: number): string {
  return new Date(Math.min(lastTime, Math.max(0, Math.trunc(ms)))).toISOString()
}

/** The timestamp of an event at `at`: as written, if that means the same time. `minute` may be any minute. */
export function timestampOf(written: string | undefined, at: number, minute: Minute): string {
  const isAsWritten = written !== undefined && Date.parse(written) === at && timestampFormat.test(written)
  return isAsWritten ? written : writeWithin(minute, at)
}

/**
 * A minute of UTC. Within one, times are read and written by their last digits alone: that takes 20 and 60
 * ns, while Date.parse() takes 190 and toISOString() 490.
 */
export interface Minute {
  readonly at: number
  /** Such as `2026-05-24T14:22:`. */
  readonly text: string
}

export function minuteOf(ms: number): Minute {
  const at = Math.min(lastTime, Math.max(0, Math.trunc(ms)))
  const start = at - (at % minuteMs)
  return { at: start, text: toTimestamp(start).slice(0, 17) }
}

export function isWithin(minute: Minute, ms: number): boolean {
  return ms >= minute.at && ms < minute.at + minuteMs
}

/** The time of `text` if it is in this minute, to the millisecond in UTC; NaN for any other text. */
export function readWithin(minute: Minute, text: string): number {
  const isOfForm =
    text.length === 24 && text.endsWith('Z') && text.charCodeAt(19) === 0x2e && text.startsWith(minute.text)
  if (!isOfForm) return Number.NaN
  const tens = digitAt(text, 17)
  const seconds = tens < 6 ? tens * 10 + digitAt(text, 18) : Number.NaN
  const fraction = digitAt(text, 20) * 100 + digitAt(text, 21) * 10 + digitAt(text, 22)
  return minute.at + seconds * 1000 + fraction
}

/** The same as `toTimestamp()`. */
function writeWithin(minute: Minute, ms: number): string {
  if (!isWithin(minute, ms) || !Number.isInteger(ms)) return toTimestamp(ms)
  const rest = ms - minute.at
  const seconds = Math.floor(rest / 1000)
  const fraction = 1000 + (rest % 1000)
  return `${minute.text}${seconds < 10 ? '0' : ''}${seconds}.${String(fraction).slice(1)}Z`
}

function digitAt(text: string, index: number): number {
  const digit = text.charCodeAt(index) - 0x30
  return digit >= 0 && digit <= 9 ? digit : Number.NaN
}
