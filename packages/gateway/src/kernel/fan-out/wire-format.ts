import { encodeSse, encodeSseComment, formatCursor, type OutFrame } from '@sluice/protocol'

/** How frames are written to a socket. Equal ids give equal bytes, so they are shared. */
export interface WireFormat {
  readonly id: string
  readonly transport: 'sse' | 'ndjson' | 'ws'
  /** Between two frames of one batch. */
  readonly separator: string
  /** False: a batch is one message, and two batches are two messages. */
  readonly isJoinable: boolean
  format(frame: OutFrame): string
  /** What `format()` writes before and after the data of a frame with this cursor. ASCII. */
  around(cursor: string): { readonly before: string; readonly after: string }
  /** What is written before and after a batch of this many bytes. ASCII. */
  enclose(bytes: number): Enclosure
}

export interface Enclosure {
  readonly head: string
  readonly tail: string
}

/** The bytes of a batch. */
export function packText(format: WireFormat, text: string): Buffer {
  const bytes = Buffer.byteLength(text)
  const { head, tail } = format.enclose(bytes)
  const packed = Buffer.allocUnsafe(head.length + bytes + tail.length)
  packed.write(head, 0, 'latin1')
  packed.write(text, head.length)
  packed.write(tail, head.length + bytes, 'latin1')
  return packed
}

export interface GapNotice {
  readonly requested: string
  readonly oldest: string
  readonly head: string
}

const bare: Enclosure = { head: '', tail: '' }
const line = { before: '', after: '\n' } as const

export const sseFormat: WireFormat = {
  id: 'sse',
  transport: 'sse',
  separator: '',
  isJoinable: true,
  format: ({ data, cursor }) => encodeSse({ data, id: formatCursor(cursor) }),
  around: (id) => ({ before: encodeSse({ data: '', id }).slice(0, -2), after: '\n\n' }),
  enclose: () => bare,
}

export const ndjsonFormat: WireFormat = {
  id: 'ndjson',
  transport: 'ndjson',
  separator: '',
  isJoinable: true,
  format: ({ data }) => `${data}\n`,
  around: () => line,
  enclose: () => bare,
}

export const ndjsonCursorFormat: WireFormat = {
  id: 'ndjson+cursors',
  transport: 'ndjson',
  separator: '',
  isJoinable: true,
  format: (frame) => `${toCursorFrame(frame)}\n`,
  around: (cursor) => ({ before: beforeFrame(cursor), after: '}\n' }),
  enclose: () => bare,
}

export const wsFormat: WireFormat = {
  id: 'ws',
  transport: 'ws',
  separator: ',',
  isJoinable: false,
  format: toCursorFrame,
  around: (cursor) => ({ before: beforeFrame(cursor), after: '}' }),
  enclose: () => bare,
}

/**
 * The same as chunks of HTTP/1.1, so that a batch is one write to each socket, and its bytes are shared.
 * Through http.ServerResponse, each write would be three, and cost twice as much.
 */
export function toChunked(format: WireFormat): WireFormat {
  return { ...format, id: `${format.id}+chunked`, enclose: encloseChunk }
}

/** RFC 9112 §7.1 */
function encloseChunk(bytes: number): Enclosure {
  return { head: `${bytes.toString(16)}\r\n`, tail: '\r\n' }
}

/** `{ "cursor": …, "frame": … }` */
export function toCursorFrame({ data, cursor }: OutFrame): string {
  return `${beforeFrame(formatCursor(cursor))}${data}}`
}

function beforeFrame(cursor: string): string {
  return `{"cursor":"${cursor}","frame":`
}

export function formatSseGap(gap: GapNotice): string {
  return encodeSse({ event: 'sluice.gap', data: JSON.stringify(gap) })
}

export function formatSseEnd(outcome: string, cursor: string): string {
  return encodeSse({ event: 'sluice.end', id: cursor, data: JSON.stringify({ outcome }) })
}

/**
 * A comment; with a cursor, an event without data, which moves the reader's last id and is not dispatched.
 */
export function formatSseHeartbeat(cursor: string | undefined): string {
  return cursor === undefined ? encodeSseComment('') : `: \nid: ${cursor}\n\n`
}
