import { connect, type Socket } from 'node:net'

/** A request whose bytes a test sends one by one. */
export interface RawRequest {
  readonly socket: Socket
  send(text: string): void
  /** The answer so far, once it contains `until` or the connection ends. */
  answer(until?: string): Promise<string>
  close(): void
}

export async function openRawRequest(port: number, head: string): Promise<RawRequest> {
  const socket = connect(port, '127.0.0.1')
  let text = ''
  let isClosed = false
  let wake = (): void => {}
  socket.on('data', (bytes: Buffer) => {
    text += bytes.toString()
    wake()
  })
  socket.on('error', () => {})
  socket.on('close', () => {
    isClosed = true
    wake()
  })
  await new Promise((resolve) => socket.once('connect', resolve))
  socket.write(head)
  return {
    socket,
    send: (more) => {
      socket.write(more)
    },
    async answer(until = '\r\n\r\n') {
      while (!text.includes(until) && !isClosed)
        await new Promise<void>((resolve) => {
          wake = resolve
        })
      return text
    },
    close: () => {
      socket.destroy()
    },
  }
}

/** The head of a request with a chunked body that stays open. */
export function postHead(path: string, type: string, headers: readonly string[] = []): string {
  return [
    `POST ${path} HTTP/1.1`,
    'Host: 127.0.0.1',
    `Content-Type: ${type}`,
    'Transfer-Encoding: chunked',
    ...headers,
    '',
    '',
  ].join('\r\n')
}

/** A piece of a chunked body. */
export function bodyChunk(text: string): string {
  return `${Buffer.byteLength(text).toString(16)}\r\n${text}\r\n`
}
