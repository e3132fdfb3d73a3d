import type { Socket } from 'node:net'
import { WebSocket } from 'ws'

export type Message = Readonly<Record<string, unknown>>

/** A WebSocket that a test drives by hand. */
export interface SocketClient {
  readonly ws: WebSocket
  send(message: object | string): void
  /** The next message. Rejects when the connection closes before it. */
  next(): Promise<Message>
  /** The next message of this type; skips those before it. */
  nextOf(type: string): Promise<Message>
  /** The code with which the connection was closed. */
  closed(): Promise<number>
  /** Reads nothing from the network until resume(). */
  pause(): void
  resume(): void
  close(): void
}

/** Connects, or rejects with the status of the refused upgrade. */
export function connectSocket(
  url: string,
  options: {
    readonly protocols?: readonly string[]
    readonly headers?: Record<string, string>
    /** The path; by default, that of the native dialect. */
    readonly path?: string
  } = {},
): Promise<SocketClient> {
  const ws = new WebSocket(
    `${url.replace('http', 'ws')}${options.path ?? '/v1/ws'}`,
    [...(options.protocols ?? ['sluice.v1'])],
    {
      headers: options.headers ?? {},
    },
  )
  const waiting: Message[] = []
  let code: number | undefined
  let wake = (): void => {}
  let socket: Socket | undefined
  ws.on('upgrade', (response) => {
    socket = response.socket
  })
  ws.on('message', (data) => {
    waiting.push(JSON.parse(String(data)) as Message) // the gateway sends objects
    wake()
  })
  ws.on('close', (given) => {
    code = given
    wake()
  })
  const changed = (): Promise<void> =>
    new Promise((resolve) => {
      wake = resolve
    })
  const next = async (): Promise<Message> => {
    for (;;) {
      const message = waiting.shift()
      if (message !== undefined) return message
      if (code !== undefined) throw new Error(`closed with ${code}`)
      await changed()
    }
  }
  const client: SocketClient = {
    ws,
    send: (message) => ws.send(typeof message === 'string' ? message : JSON.stringify(message)),
    next,
    async nextOf(type) {
      for (;;) {
        const message = await next()
        if (message['type'] === type) return message
      }
    },
    async closed() {
      while (code === undefined) await changed()
      return code
    },
    pause: () => socket?.pause(),
    resume: () => socket?.resume(),
    close: () => ws.terminate(),
  }
  return new Promise((resolve, reject) => {
    ws.once('open', () => {
      ws.on('error', () => {})
      resolve(client)
    })
    ws.once('unexpected-response', (_request, response) => reject(new Error(String(response.statusCode))))
    ws.once('error', reject)
  })
}
