import { type JsonObject, SluiceError } from '@sluice/protocol'
import type { AaepFrame } from '@sluice/protocol/dialects'
import { createChannel } from '../channel.ts'
import { openSocket } from '../open-socket.ts'
import { toUnreachable } from '../problem.ts'
import type { SocketParts } from '../socket-readings.ts'
import { aaepRoot } from './handshake.ts'
import { closeCodeOf, fromRejected } from './rejection.ts'

/** A WebSocket on which a subscription was taken up. */
export interface AaepConnection {
  /** The events that wait, or that come next; undefined behind the last one when the reader fell behind. */
  take(): Promise<readonly AaepFrame[] | undefined>
  close(): void
}

/** Characters that wait for a slow reader; beyond them the connection is given up. */
const maxWaiting = 1024 * 1024

/** A browser does not show the pings of a gateway. A second request is answered and changes nothing. */
const probe = { type: 'subscription.request' }

/** Resolves when the gateway has accepted the request; rejects when it does not, or cannot be reached. */
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
  accepted.catch(() => {}) // `opened` tells it first
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
      // The answer to a probe is a rejection too, but no code follows it.
      const isRejected = rejection !== undefined && rejectedCodes.has(closeCodeOf(error))
      const failure = isRejected ? fromRejected(rejection ?? {}) : error
      if (!isFull) channel.fail(failure)
      settle(failure)
    },
  })

  function take(message: JsonObject, size: number): void {
    const event: unknown = message
    if (channel.push([event as AaepFrame], size)) return // what the gateway encodes fits its schema
    // Not later: a gateway goes on only from its last events.
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

/** docs/aaep.md, "Connections": behind a `subscription.rejected`. */
const rejectedCodes: ReadonlySet<unknown> = new Set([4001, 4002, 4003])
