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
  /** The bytes of a batch. */
  pack(text: string): Buffer
}

export interface GapNotice {
  readonly requested: string
  readonly oldest: string
  readonly head: string
}

export const sseFormat: WireFormat = {
  id: 'sse',
  transport: 'sse',
  separator: '',
  isJoinable: true,
  format: ({ data, cursor }) => encodeSse({ data, id: formatCursor(cursor) }),
  pack: toBuffer,
}

export const ndjsonFormat: WireFormat = {
  id: 'ndjson',
  transport: 'ndjson',
  separator: '',
  isJoinable: true,
  format: ({ data }) => `${data}\n`,
  pack: toBuffer,
}

export const ndjsonCursorFormat: WireFormat = {
  id: 'ndjson+cursors',
  transport: 'ndjson',
  separator: '',
  isJoinable: true,
  format: (frame) => `${toCursorFrame(frame)}\n`,
  pack: toBuffer,
}

export const wsFormat: WireFormat = {
  id: 'ws',
  transport: 'ws',
  separator: ',',
  isJoinable: false,
  format: toCursorFrame,
  pack: toBuffer,
}

function toBuffer(text: string): Buffer {
  return Buffer.from(text)
}

/**
 * The same as chunks of HTTP/1.1, so that a batch is one write to each socket, and its bytes are shared.
 * Through http.ServerResponse, each write would be three, and cost twice as much.
 */
export function toChunked(format: WireFormat): WireFormat {
  return { ...format, id: `${format.id}+chunked`, pack: toChunk }
}

/** RFC 9112 §7.1 */
function toChunk(text: string): Buffer {
  const bytes = Buffer.byteLength(text)
  const head = `${bytes.toString(16)}\r\n`
  const chunk = Buffer.allocUnsafe(head.length + bytes + 2)
  chunk.write(head, 0, 'latin1')
  chunk.write(text, head.length)
  chunk.write('\r\n', head.length + bytes, 'latin1')
  return chunk
}

/** `{ "cursor": …, "frame": … }` */
export function toCursorFrame({ data, cursor }: OutFrame): string {
  return `{"cursor":"${formatCursor(cursor)}","frame":${data}}`
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
