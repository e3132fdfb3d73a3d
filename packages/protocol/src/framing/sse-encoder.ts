export type SseFrame = {
  readonly data: string
  readonly event?: string
  readonly id?: string
  /** Milliseconds. */
  readonly retry?: number
}

const lineEnd = /\r\n|\r|\n/

/**
 * Encodes one event with LF line ends. Line breaks of any kind in `data` arrive as LF. Throws a TypeError for
 * anything that the format cannot carry: a line break in `event` or `id`, a NUL in `id`, an empty `event`, a
 * `retry` that is not a whole number of milliseconds.
 */
export function encodeSse({ data, event, id, retry }: SseFrame): string {
  let text = ''
  if (event !== undefined) text += `event: ${assertFieldValue('event', event)}\n`
  if (id !== undefined) text += `id: ${assertFieldValue('id', id)}\n`
  if (retry !== undefined) text += `retry: ${assertRetry(retry)}\n`
  return `${text}${encodeLines('data: ', data)}\n`
}

/** Encodes a comment, such as a heartbeat; several lines become several comments. */
export function encodeSseComment(text: string): string {
  return `${encodeLines(': ', text)}\n`
}

function encodeLines(prefix: string, text: string): string {
  if (!text.includes('\n') && !text.includes('\r')) return `${prefix}${text}\n`
  return text
    .split(lineEnd)
    .map((line) => `${prefix}${line}\n`)
    .join('')
}

function assertFieldValue(field: 'event' | 'id', value: string): string {
  if (lineEnd.test(value)) throw new TypeError(`an SSE ${field} cannot contain a line break`)
  if (field === 'id' && value.includes('\0')) throw new TypeError('an SSE id cannot contain NUL')
  if (field === 'event' && value === '') throw new TypeError('an SSE event name cannot be empty')
  return value
}

function assertRetry(retry: number): number {
  if (Number.isSafeInteger(retry) && retry >= 0) return retry
  throw new TypeError('an SSE retry must be a whole number of milliseconds')
}
