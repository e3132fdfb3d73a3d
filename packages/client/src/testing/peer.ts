import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Duplex } from 'node:stream'
import { omitUndefined } from '@sluice/protocol'

export interface PeerRequest {
  readonly method: string
  readonly url: URL
  readonly headers: IncomingMessage['headers']
  readonly body: string
}

export type PeerHandler = (request: PeerRequest, response: ServerResponse) => void

export interface Peer {
  readonly url: string
  /** Every request so far. */
  readonly requests: readonly PeerRequest[]
  /** Resolves once `count` requests have arrived. */
  requested(count: number): Promise<void>
  close(): Promise<void>
}

type OnUpgrade = (request: IncomingMessage, socket: Duplex, head: Buffer) => void

/** A server on a free port that answers each request as `handle` decides, even wrongly or never. */
export async function startPeer(handle: PeerHandler, onUpgrade?: OnUpgrade): Promise<Peer> {
  const requests: PeerRequest[] = []
  let waiters: { count: number; resolve: () => void }[] = []
  const server = createServer(async (incoming, response) => {
    let body = ''
    for await (const chunk of incoming.setEncoding('utf8')) body += chunk
    const { method = '', url = '', headers } = incoming
    const request = { method, url: new URL(url, 'http://peer'), headers, body }
    requests.push(request)
    for (const { count, resolve } of waiters) if (requests.length >= count) resolve()
    waiters = waiters.filter(({ count }) => requests.length < count)
    handle(request, response)
  })
  if (onUpgrade !== undefined) server.on('upgrade', onUpgrade)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo // listens on a port
  return {
    url: `http://127.0.0.1:${port}`,
    requests,
    requested: (count) =>
      requests.length >= count
        ? Promise.resolve()
        : new Promise((resolve) => waiters.push({ count, resolve })),
    close() {
      server.closeAllConnections()
      return new Promise((resolve) => server.close(() => resolve()))
    },
  }
}

/** Starts an event stream of a session that ends at `head`. */
export function openSse(response: ServerResponse, head?: string): ServerResponse {
  response.writeHead(200, {
    'content-type': 'text/event-stream',
    ...omitUndefined({ 'sluice-cursor': head }),
  })
  response.flushHeaders()
  return response
}

/** Answers with JSON; a problem when the status says so. */
export function answerJson(
  response: ServerResponse,
  value: unknown,
  {
    status = 200,
    headers = {},
  }: {
    readonly status?: number | undefined
    readonly headers?: Readonly<Record<string, string>> | undefined
  } = {},
): void {
  const type = status < 400 ? 'application/json' : 'application/problem+json'
  response.writeHead(status, { 'content-type': type, ...headers })
  response.end(JSON.stringify(value))
}
