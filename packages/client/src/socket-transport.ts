import type { Clock } from '@sluice/protocol'
import { createChannel } from './channel.ts'
import { orAborted } from './or-aborted.ts'
import type { Page } from './page.ts'
import { toUnreachable } from './problem.ts'
import type { Requester } from './requester.ts'
import { openSharedSocket, type SharedSocket } from './shared-socket.ts'
import { quietMs } from './sse-stream.ts'
import type { ReadRequest, Transport } from './transport.ts'
import type { WebSocketConstructor } from './web-socket.ts'

export interface SocketParts {
  readonly requester: Requester
  readonly WebSocket: WebSocketConstructor
  readonly clock: Clock
  readonly page: Page
  readonly heartbeatMs: number
}

interface Shared {
  readonly socket: Promise<SharedSocket>
  users: number
}

/** Characters that wait for one slow reader; beyond them its subscription pauses. */
const maxWaiting = 1024 * 1024

/**
 * Reads sessions over one WebSocket that all subscriptions share; it is there while one of them is. A WebSocket
 * cannot be read slowly, so a subscription whose reader falls behind is given up and taken anew from its cursor.
 */
export function createSocketTransport(parts: SocketParts): Transport {
  let shared: Shared | undefined
  let refs = 0

  async function open(onBroken: () => void): Promise<SharedSocket> {
    const { requester, ...rest } = parts
    const url = requester.urlOf(['ws']).replace(/^http/, 'ws')
    return openSharedSocket({ ...rest, url, token: await requester.currentToken(), onBroken })
  }

  /** The socket that is there, or another one. Whoever joins must leave. */
  function join(): Shared {
    if (shared === undefined) {
      const drop = () => {
        if (shared === begun) shared = undefined
      }
      const begun: Shared = { socket: open(drop), users: 0 }
      begun.socket.catch(drop)
      shared = begun
    }
    shared.users += 1
    return shared
  }

  function leave(member: Shared): void {
    member.users -= 1
    if (member.users > 0) return
    if (shared === member) shared = undefined
    member.socket.then(
      (socket) => socket.close(),
      () => {},
    )
  }

  return async function* read(request, attempt) {
    const { signal } = attempt
    const member = join()
    try {
      const socket = await orAborted(member.socket, signal)
      await orAborted(socket.opened, signal).catch(async (error: unknown) => {
        signal.throwIfAborted()
        await explain(request, parts.requester, signal)
        throw error
      })
      for (;;) {
        const ref = String(++refs)
        const channel = createChannel(maxWaiting)
        const abort = () => channel.fail(toUnreachable(signal.reason))
        signal.addEventListener('abort', abort)
        try {
          const { session, dialect, coalesce } = request
          socket.subscribe(ref, channel, { session, dialect, coalesce, after: request.after() })
          for (;;) {
            const quiet = parts.clock.after(quietMs, attempt.caughtUp)
            const signals = await channel.take().finally(quiet.clear)
            if (signals === undefined) break
            attempt.opened()
            yield signals
          }
        } finally {
          signal.removeEventListener('abort', abort)
          socket.unsubscribe(ref)
        }
      }
    } finally {
      leave(member)
    }
  }
}

/** A browser does not say why a handshake failed. A read over HTTP is refused for the same reason, and tells it. */
async function explain(request: ReadRequest, requester: Requester, signal: AbortSignal): Promise<void> {
  const query = { dialect: request.dialect, after: request.after(), limit: '1' }
  const { session, resource } = request
  const answer = await requester.exchange({ path: ['sessions', session, resource], query, signal })
  // The WebSocket tells of a gap in-band.
  if (!answer.ok && answer.error.code !== 'gap') throw answer.error
  if (answer.ok) await answer.response.body?.cancel()
}
