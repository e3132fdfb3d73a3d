import { once } from 'node:events'
import { omitUndefined } from '@sluice/protocol'
import { WebSocket } from 'ws'

export type SocketMessage = Readonly<Record<string, unknown>>

/** A WebSocket to a gateway, with messages that can be waited for. */
export interface TestSocket {
  readonly messages: readonly SocketMessage[]
  /** The code with which it was closed. */
  readonly closed: Promise<number>
  /** Sends JSON, or a text or bytes as they are. */
  send(message: object | string | Uint8Array): void
  /** Sends a request and returns the first message with its `ref`. */
  ask(message: { readonly ref: string; readonly [field: string]: unknown }): Promise<SocketMessage>
  /** The first message that fits, whether already received or still to come. */
  waitFor(fits: (message: SocketMessage) => boolean): Promise<SocketMessage>
  close(): void
}

export interface SocketOptions {
  readonly key?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly protocols?: readonly string[]
  /** Default `ws://127.0.0.1:PORT/v1/ws`. */
  readonly url?: string
  readonly ca?: string
}

/** Opens a WebSocket, or rejects with `Unexpected server response: STATUS`. */
export async function openSocket(port: number, options: SocketOptions = {}): Promise<TestSocket> {
  const { key, headers = {}, protocols = ['sluice.v1'], url = `ws://127.0.0.1:${port}/v1/ws`, ca } = options
  const ws = new WebSocket(url, [...protocols], {
    headers: {
      ...omitUndefined({ authorization: key === undefined ? undefined : `Bearer ${key}` }),
      ...headers,
    },
    ...omitUndefined({ ca }),
  })
  const messages: SocketMessage[] = []
  const waiting = new Set<() => void>()
  const look = (): void => {
    for (const each of [...waiting]) each()
  }
  ws.on('message', (data) => {
    messages.push(JSON.parse(String(data)) as SocketMessage) // the gateway sends JSON objects
    look()
  })
  const closed = new Promise<number>((resolve) => {
    ws.on('close', (code) => {
      resolve(code)
      look()
    })
  })
  await once(ws, 'open')
  ws.on('error', () => {})

  const waitFor: TestSocket['waitFor'] = (fits) =>
    new Promise((resolve, reject) => {
      const attempt = (): void => {
        const found = messages.find(fits)
        if (found !== undefined) resolve(found)
        else if (ws.readyState === ws.CLOSED) reject(new Error('the WebSocket was closed'))
        else return
        waiting.delete(attempt)
      }
      waiting.add(attempt)
      attempt()
    })

  return {
    messages,
    closed,
    send: (message) =>
      ws.send(
        typeof message === 'string' || message instanceof Uint8Array ? message : JSON.stringify(message),
      ),
    ask(message) {
      const before = messages.length
      ws.send(JSON.stringify(message))
      return waitFor((each) => each['ref'] === message.ref && messages.indexOf(each) >= before)
    },
    waitFor,
    close: () => ws.close(),
  }
}
