import { chmodSync } from 'node:fs'
import { createServer, type Server, type Socket } from 'node:net'
import { isMainThread } from 'node:worker_threads'
import { SluiceError } from '@sluice/protocol'
import { toRejected } from '../../features/aaep/negotiate-answer.ts'
import { toRejection } from '../../features/aaep/negotiate-rejection.ts'
import type { Backend } from '../backend.ts'
import { type Conversation, closeCodes, createConversation, maxMessageBytes } from './conversation.ts'
import { createMessageReader, frameMessage, type MessageReader } from './unix-socket-framing.ts'
import { clearSocketPath, inUse } from './unix-socket-path.ts'

/** A Unix socket that serves AAEP. */
export interface UnixSocket {
  /** Removes the file, refuses further clients and ends every conversation. */
  drain(): void
  /** Destroys the remaining connections. */
  close(): void
}

/** The reasons that this transport sends in a message, by the close code of a WebSocket. */
const closeReasons: Readonly<Record<number, string>> = {
  [closeCodes.clean]: 'completed',
  [closeCodes.terminated]: 'terminated',
  [closeCodes.bySubscriber]: 'subscriber_closed',
  [closeCodes.failed]: 'failed',
  [closeCodes.restarting]: 'restarting',
}

/**
 * Serves AAEP on a Unix domain socket. Only the owner can open it, so every client is the local user, with
 * all grants. Rejects with `address_in_use` or `bad_config`.
 */
export async function listenOnUnixSocket(backend: Backend, path: string): Promise<UnixSocket> {
  await clearSocketPath(path)
  const conversations = new Map<Socket, Conversation>()
  const server = createServer((socket) => {
    const conversation = serveUnixSocket(backend, socket)
    if (conversation === undefined) return
    conversations.set(socket, conversation)
    socket.once('close', () => conversations.delete(socket))
  })
  await listen(server, path)
  return {
    drain() {
      server.close()
      for (const conversation of [...conversations.values()]) conversation.drain()
    },
    close() {
      server.close()
      for (const socket of [...conversations.keys()]) socket.destroy()
    },
  }
}

async function listen(server: Server, path: string): Promise<void> {
  try {
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject)
      bindPrivately(server, path, resolve)
    })
    chmodSync(path, 0o600)
  } catch (error) {
    server.close()
    const code = error instanceof Error && 'code' in error ? error.code : undefined
    if (code === 'EADDRINUSE') throw inUse(path)
    const message = `The socket ${path} cannot be made (${String(code)}).`
    throw new SluiceError('bad_config', { message, cause: error })
  }
}

/** listen() creates the file before it returns, so the umask keeps other users out from the start. */
function bindPrivately(server: Server, path: string, onListening: () => void): void {
  // The umask belongs to the process; a worker thread cannot change it.
  const mask = isMainThread ? process.umask(0o177) : undefined
  try {
    server.listen(path, onListening)
  } finally {
    if (mask !== undefined) process.umask(mask)
  }
}

function serveUnixSocket(backend: Backend, socket: Socket): Conversation | undefined {
  const caller = backend.authenticator.local()
  const reader = createMessageReader(maxMessageBytes)
  socket.on('error', () => socket.destroy())
  const send = (text: string): boolean => socket.write(frameMessage(text, reader.framing ?? 'lines'))
  /** Closes the socket once the last messages are sent, or after `headTimeoutMs`. */
  const finish = (): void => {
    socket.destroySoon()
    const timer = backend.kernel.clock.after(backend.kernel.config.limits.headTimeoutMs, () =>
      socket.destroy(),
    )
    socket.once('close', () => timer.clear())
  }
  try {
    socket.once('close', backend.connections.enter(`sub ${caller.subject}`))
  } catch {
    send(JSON.stringify(toRejected(toRejection('too_many_connections'))))
    finish()
    return undefined
  }
  const conversation = createConversation({
    backend,
    caller,
    transport: 'unix',
    wire: {
      send(texts) {
        let isRoomy = true
        for (const text of texts) isRoomy = send(text)
        return isRoomy
      },
      // Needs no ping: the operating system reports when the peer is gone.
      ping() {},
      close(code, reason, subscription) {
        const reasonCode = closeReasons[code]
        if (subscription !== undefined && reasonCode !== undefined)
          send(JSON.stringify(toClose(subscription, reasonCode, reason)))
        finish()
      },
      reset: () => socket.destroy(),
    },
  })
  socket.on('data', (bytes: Buffer) => {
    hearAll(reader, bytes, conversation)
    // Its answers must not pile up for a client that does not read them.
    if (socket.writableNeedDrain) socket.pause()
  })
  socket.on('drain', () => {
    socket.resume()
    conversation.drained()
  })
  socket.on('close', () => conversation.gone(false))
  return conversation
}

function hearAll(reader: MessageReader, bytes: Buffer, conversation: Conversation): void {
  for (const received of reader.push(bytes)) {
    if (received.type === 'message') conversation.hear(received.text)
    else conversation.breakOff(received.reason)
  }
}

function toClose(subscription: string, code: string, message: string) {
  return {
    type: 'subscription.close',
    subscription_id: subscription,
    reason_code: code,
    reason_message: message,
  }
}
