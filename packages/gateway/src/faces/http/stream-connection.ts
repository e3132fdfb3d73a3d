import type { OutgoingHttpHeaders, ServerResponse } from 'node:http'
import { constants, Http2ServerResponse } from 'node:http2'
import type { Writable } from 'node:stream'
import type { SubscriberConnection } from '../../kernel/fan-out/subscriber-connection.ts'
import {
  formatSseEnd,
  formatSseHeartbeat,
  toChunked,
  type WireFormat,
} from '../../kernel/fan-out/wire-format.ts'

const streamHeaders = {
  'cache-control': 'no-store, no-transform',
  // Keeps nginx from buffering frames.
  'x-accel-buffering': 'no',
} as const

/** Sends the head of a stream. */
export function sendStreamHead(response: ServerResponse, headers: OutgoingHttpHeaders): void {
  // By default nginx uses HTTP/1.0, where without chunks a crash of this process looks like the end of the
  // body. nginx understands chunks there (RFC 9112 §6.1 forbids them, but no other HTTP/1.0 client is known
  // to read this).
  if (!(response instanceof Http2ServerResponse)) response.useChunkedEncodingByDefault = true
  response.writeHead(200, { ...headers, ...streamHeaders })
  response.flushHeaders()
}

/** What a stream writes to stay alive, and at its end. */
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
  /** The response, with its head already sent. */
  readonly response: ServerResponse
  readonly format: WireFormat
  readonly marks: StreamMarks
  /** How the session ended; undefined while it is running. */
  outcome(): string | undefined
  /** Called when more may be written. */
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
  // A response that is pipelined after another has no socket yet, and in HTTP/2 all streams share one.
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

/** Aborts a response so that no client takes it for complete: stock clients take a clean end for success. */
export function resetResponse(response: ServerResponse): void {
  if (response instanceof Http2ServerResponse) {
    response.stream.close(constants.NGHTTP2_INTERNAL_ERROR)
    return
  }
  // A pipelined response has no socket yet; resetting the shared one makes both readers reconnect.
  const { socket } = response.req
  if (socket.destroyed) return
  // A TLS socket cannot be reset; without its closing message, the peer sees that it was cut off.
  if ('encrypted' in socket) socket.destroy()
  else socket.resetAndDestroy()
}
