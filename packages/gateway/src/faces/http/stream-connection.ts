import type { OutgoingHttpHeaders, ServerResponse } from 'node:http'
import { constants, Http2ServerResponse } from 'node:http2'
import type { Writable } from 'node:stream'
import type { SubscriberConnection } from '../../kernel/fan-out/subscriber.ts'
import {
  formatSseEnd,
  formatSseHeartbeat,
  toChunked,
  type WireFormat,
} from '../../kernel/fan-out/wire-format.ts'

const streamHeaders = {
  'cache-control': 'no-store, no-transform',
  // nginx passes frames on as they come only when it is told so.
  'x-accel-buffering': 'no',
} as const

/** Sends the head of a stream. */
export function sendStreamHead(response: ServerResponse, headers: OutgoingHttpHeaders): void {
  // nginx asks with HTTP/1.0 unless it is told otherwise; without chunks a process that dies looks to it like the end of
  // the body. It understands them (RFC 9112 §6.1 forbids them for clients of that age, of which none is known to read this).
  if (!(response instanceof Http2ServerResponse)) response.useChunkedEncodingByDefault = true
  response.writeHead(200, { ...headers, ...streamHeaders })
  response.flushHeaders()
}

/** How a stream ends: what is written last, and what keeps it alive. */
export interface StreamMarks {
  heartbeat(cursor: string | undefined): string
  end(cursor: string, outcome: string | undefined): string
}

export const sseMarks: StreamMarks = {
  heartbeat: formatSseHeartbeat,
  end: (cursor, outcome) => (outcome === undefined ? '' : formatSseEnd(outcome, cursor)),
}

export const ndjsonMarks: StreamMarks = { heartbeat: () => '\n', end: () => '' }

export const ndjsonCursorMarks: StreamMarks = {
  heartbeat: () => '\n',
  end: (cursor, outcome) => (outcome === undefined ? '' : `{"cursor":"${cursor}","end":true}\n`),
}

export interface StreamConnectionOptions {
  /** Its head is sent. */
  readonly response: ServerResponse
  readonly format: WireFormat
  readonly marks: StreamMarks
  /** How the session ended; undefined while it has not. */
  outcome(): string | undefined
  /** More may be written. */
  onDrain(): void
}

/** The connection of a stream over HTTP. */
export function createStreamConnection({
  response,
  format,
  marks,
  outcome,
  onDrain,
}: StreamConnectionOptions): SubscriberConnection {
  const { socket } = response
  // Behind another response on the same connection there is no socket yet, and in HTTP/2 it belongs to all streams.
  const direct = socket === null || response instanceof Http2ServerResponse ? undefined : socket
  const isChunked = direct !== undefined && response.chunkedEncoding
  const drained: Writable = direct ?? response
  drained.on('drain', onDrain)
  response.once('close', () => drained.off('drain', onDrain))
  return {
    format: isChunked ? toChunked(format) : format,
    write: direct === undefined ? (bytes) => response.write(bytes) : (bytes) => direct.write(bytes),
    heartbeat: (cursor) => {
      response.write(marks.heartbeat(cursor))
    },
    finish({ cursor, ended }) {
      response.end(marks.end(cursor, ended ? outcome() : undefined))
    },
    reset: () => resetResponse(response),
  }
}

/** Breaks a response off so that nobody takes it for a whole one: stock clients take a clean end for success. */
export function resetResponse(response: ServerResponse): void {
  if (response instanceof Http2ServerResponse) {
    response.stream.close(constants.NGHTTP2_INTERNAL_ERROR)
    return
  }
  // Behind another response on its connection it has no socket yet; then both readers come back.
  const { socket } = response.req
  if (socket.destroyed) return
  // A TLS socket has no reset of its own; without its closing message the peer sees that it was cut.
  if ('encrypted' in socket) socket.destroy()
  else socket.resetAndDestroy()
}
