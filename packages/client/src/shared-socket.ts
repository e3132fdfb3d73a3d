import { isJsonObject, type JsonObject, SluiceError } from '@sluice/protocol'
import { openSocket, type SocketOptions } from './open-socket.ts'
import { toError } from './problem.ts'

export interface SharedSocketOptions
  extends Omit<SocketOptions, 'protocol' | 'probe' | 'onMessage' | 'onBroken'> {
  /** Called once, before the readers fail. */
  onBroken(): void
}

/** A reader of a shared socket. */
export interface SocketReader {
  /**
   * Handles a message of `size` characters; false to stop reading. An error that it throws breaks the socket.
   */
  take(message: JsonObject, size: number): boolean
  fail(error: SluiceError): void
}

/** One WebSocket for many readers (docs/http-api.md, "WebSocket"). When it breaks, all of them fail. */
export interface SharedSocket {
  /** Resolves when it is open; rejects with `gateway_unreachable` if it breaks first. */
  readonly opened: Promise<void>
  /** Sends a request to read as `ref`; its messages go to the reader. */
  begin(ref: string, request: JsonObject, reader: SocketReader): void
  end(ref: string): void
  close(): void
}

export function openSharedSocket(options: SharedSocketOptions): SharedSocket {
  const readers = new Map<string, SocketReader>()
  let failure: SluiceError | undefined
  const socket = openSocket({
    ...options,
    protocol: 'sluice.v1',
    onMessage: receive,
    onBroken(error) {
      failure = error
      options.onBroken()
      for (const reader of readers.values()) reader.fail(error)
      readers.clear()
    },
  })

  function receive(message: JsonObject, size: number): void {
    const { type, ref, cursors } = message
    if (type === 'heartbeat') {
      for (const [each, cursor] of Object.entries(isJsonObject(cursors) ? cursors : {}))
        hand(each, { type: 'moved', cursor }, size)
    } else if (type === 'error') refuse(ref, toError(message, 500))
    else if (typeof ref === 'string') hand(ref, message, size)
  }

  function hand(ref: string, message: JsonObject, size: number): void {
    if (readers.get(ref)?.take(message, size) === false) end(ref)
    if (message['type'] === 'end') readers.delete(ref)
  }

  function refuse(ref: unknown, error: SluiceError): void {
    // The next handshake shows whether this passes, as an expired credential does.
    if (typeof ref !== 'string') throw new SluiceError('gateway_unreachable', { cause: error })
    readers.get(ref)?.fail(error)
    readers.delete(ref)
  }

  function end(ref: string): void {
    if (readers.delete(ref)) socket.send({ type: 'unsubscribe', ref })
  }

  return {
    opened: socket.opened,
    begin(ref, request, reader) {
      if (failure !== undefined) {
        reader.fail(failure)
        return
      }
      readers.set(ref, reader)
      socket.send({ ...request, ref })
    },
    end,
    close: () => socket.close(new SluiceError('closed', { message: 'The last subscription left.' })),
  }
}
