import { type IncomingHttpHeaders, type IncomingMessage, type OutgoingHttpHeaders, request } from 'node:http'
import { connect } from 'node:net'
import { gunzipSync } from 'node:zlib'
import { omitUndefined } from '@sluice/protocol'

export interface Asked {
  readonly method?: string
  readonly path: string
  readonly headers?: OutgoingHttpHeaders
  /** An object is sent as JSON. */
  readonly body?: string | Uint8Array | object
  readonly key?: string
}

export interface Answered {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  /** The body as received. */
  readonly bytes: Buffer
  /** The body, decompressed. */
  readonly text: string
  /** The body, if it is JSON. */
  readonly json: unknown
}

/** Sends a request on its own connection; resolves when the head of the response arrives. */
export async function open(port: number, asked: Asked): Promise<IncomingMessage> {
  const { method = 'GET', path, body, key } = asked
  const isJson = typeof body === 'object' && !(body instanceof Uint8Array)
  const sent = isJson ? JSON.stringify(body) : body
  const headers = {
    ...(isJson ? { 'content-type': 'application/json' } : {}),
    ...omitUndefined({
      authorization: key === undefined ? undefined : `Bearer ${key}`,
      'content-length': sent === undefined ? undefined : Buffer.byteLength(sent),
    }),
    ...asked.headers,
  }
  return new Promise((resolve, reject) => {
    const sending = request({ host: '127.0.0.1', port, method, path, headers, agent: false }, resolve)
    sending.on('error', reject)
    sending.end(sent)
  })
}

/** A whole exchange, or only the head of a response that stays open. */
export async function send(port: number, asked: Asked): Promise<Answered> {
  const response = await open(port, asked)
  const chunks: Buffer[] = []
  if (isLive(response)) response.destroy()
  else for await (const chunk of response) chunks.push(chunk as Buffer) // no encoding is set
  const bytes = Buffer.concat(chunks)
  const { statusCode: status = 0, headers } = response
  const text = (headers['content-encoding'] === 'gzip' ? gunzipSync(bytes) : bytes).toString('utf8')
  return { status, headers, bytes, text, json: parseJson(text) }
}

/** Sends bytes as they are; resolves with all that was received when the other side closes. */
export async function exchangeRaw(port: number, bytes: string | Uint8Array): Promise<string> {
  const socket = connect(port, '127.0.0.1')
  socket.on('error', () => {})
  const chunks: Buffer[] = []
  socket.on('data', (chunk: Buffer) => chunks.push(chunk))
  socket.write(bytes)
  await new Promise((resolve) => socket.once('close', resolve))
  return Buffer.concat(chunks).toString('latin1')
}

function isLive({ headers }: IncomingMessage): boolean {
  return headers['content-length'] === undefined && /event-stream|ndjson/.test(headers['content-type'] ?? '')
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
