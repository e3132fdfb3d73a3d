import { createHash, type Hash } from 'node:crypto'
import { get, type IncomingMessage } from 'node:http'
import { type RawData, WebSocket } from 'ws'
import type { TransportName } from '../testing/transports.ts'

/** A reader that takes no bytes until `readOn()`, and then everything to the end of the session. */
export interface StalledReader {
  readonly name: TransportName
  /** Resolves with the digest of everything received, once the session has ended. */
  readOn(): Promise<string>
}

export interface StalledRequest {
  readonly url: string
  readonly session: string
  readonly dialect: string
  readonly after?: string
  readonly coalesce?: string
}

/** Opens a reader; it digests the body of a stream, or all frames of a WebSocket joined with commas. */
export function openStalled(name: TransportName, request: StalledRequest): Promise<StalledReader> {
  return name === 'ws' ? openSocket(request) : openStream(name, request)
}

const accepts = { sse: 'text/event-stream', ndjson: 'application/x-ndjson' }

async function openStream(
  name: 'sse' | 'ndjson',
  { url, session, ...view }: StalledRequest,
): Promise<StalledReader> {
  const asked = get(`${url}/v1/sessions/${session}/events?${new URLSearchParams({ ...view })}`, {
    agent: false,
    headers: { accept: accepts[name] },
  })
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    asked.on('response', resolve)
    asked.on('error', reject)
  })
  if (response.statusCode !== 200) throw new Error(`answered ${response.statusCode}`)
  return {
    name,
    async readOn() {
      const hash = createHash('sha256')
      for await (const chunk of response) hash.update(chunk as Buffer) // no encoding is set
      return hash.digest('hex')
    },
  }
}

const framesHead = '{"type":"frames","ref":"r","frames":['

async function openSocket({ url, session, ...view }: StalledRequest): Promise<StalledReader> {
  const ws = new WebSocket(`${url.replace(/^http/, 'ws')}/v1/ws`, 'sluice.v1', {
    maxPayload: 64 * 1024 * 1024,
  })
  const hash = createHash('sha256')
  let isFirst = true
  const take = (message: Buffer): void => {
    if (!isFirst) hash.update(',')
    isFirst = false
    hash.update(message.subarray(framesHead.length, -2))
  }
  await new Promise<void>((resolve, reject) => {
    ws.on('error', reject)
    ws.on('open', () => ws.send(JSON.stringify({ type: 'subscribe', ref: 'r', session, ...view })))
    ws.once('message', () => {
      ws.pause()
      resolve()
    })
  })
  const done = new Promise<string>((resolve, reject) => {
    ws.on('message', (data: RawData) => {
      const message = data as Buffer // binaryType is left at its default
      if (message.subarray(0, framesHead.length).toString() === framesHead) take(message)
      else {
        finish(hash, message, { resolve, reject })
        ws.close()
      }
    })
    ws.on('close', (code) => reject(new Error(`closed with ${code}`)))
  })
  done.catch(() => {}) // readOn() returns it
  return {
    name: 'ws',
    readOn() {
      ws.resume()
      return done
    },
  }
}

function finish(
  hash: Hash,
  message: Buffer,
  {
    resolve,
    reject,
  }: { readonly resolve: (digest: string) => void; readonly reject: (error: Error) => void },
): void {
  const { type } = JSON.parse(String(message)) as { readonly type: string } // see docs/http-api.md
  if (type === 'end') resolve(hash.digest('hex'))
  else reject(new Error(`unexpected: ${String(message).slice(0, 200)}`))
}
