import { type JsonObject, SluiceError } from '@sluice/protocol'
import type { AaepFrame } from '@sluice/protocol/dialects'
import { createChannel } from '../channel.ts'
import { openSocket } from '../open-socket.ts'
import { toUnreachable } from '../problem.ts'
import type { SocketParts } from '../socket-readings.ts'
import { aaepRoot } from './handshake.ts'
import { closeCodeOf, fromRejected } from './rejection.ts'

/** A WebSocket that has resumed a subscription. */
export interface AaepConnection {
  /** The waiting events, or the next ones; undefined after the last event before an overflow. */
  take(): Promise<readonly AaepFrame[] | undefined>
  close(): void
}

/** The number of characters that may wait for a slow reader. Beyond it, the connection is closed. */
const maxWaiting = 1024 * 1024

/** A browser does not expose a gateway's pings. A gateway answers a second request, which changes nothing. */
const probe = { type: 'subscription.request' }

/** Resolves when the gateway has accepted the request; rejects if it refuses or cannot be reached. */
export async function openAaepConnection(
  request: JsonObject,
  signal: AbortSignal,
  parts: SocketParts,
): Promise<AaepConnection> {
  const { requester } = parts
  const url = requester.urlOf(['ws'], {}, aaepRoot).replace(/^http/, 'ws')
  const token = await requester.currentToken()
  signal.throwIfAborted()
  const channel = createChannel<AaepFrame>(maxWaiting)
  let isFull = false
  let rejection: JsonObject | undefined
  let settle: (error?: SluiceError) => void = () => {}
  const accepted = new Promise<void>((resolve, reject) => {
    settle = (error) => (error === undefined ? resolve() : reject(error))
  })
  accepted.catch(() => {}) // `opened` reports it first
  const socket = openSocket({
    ...parts,
    url,
    token,
    protocol: 'aaep.v1',
    probe,
    onMessage(message, size) {
      if (message['type'] === 'subscription.accepted') settle()
      else if (message['type'] === 'subscription.rejected') rejection = message
      else if (typeof message['event_id'] === 'string') take(message, size)
    },
    onBroken(error) {
      signal.removeEventListener('abort', abort)
      // The answer to a probe is a rejection too, but no close code follows it.
      const isRejected = rejection !== undefined && rejectedCodes.has(closeCodeOf(error))
      const failure = isRejected ? fromRejected(rejection ?? {}) : error
      if (!isFull) channel.fail(failure)
      settle(failure)
    },
  })

  function take(message: JsonObject, size: number): void {
    const event: unknown = message
    if (channel.push([event as AaepFrame], size)) return // what the gateway encodes fits its schema
    // Closes now: a gateway resumes only from its recent events.
    isFull = true
    close()
  }

  const close = () => socket.close(new SluiceError('closed', { message: 'The connection was left.' }))
  const abort = () => socket.close(toUnreachable(signal.reason))
  signal.addEventListener('abort', abort)
  await socket.opened
  socket.send(request)
  await accepted
  return { take: channel.take, close }
}

/** The close codes that follow a `subscription.rejected` (docs/aaep.md, "Connections"). */
const rejectedCodes: ReadonlySet<unknown> = new Set([4001, 4002, 4003])
