import type { Clock, JsonObject } from '@sluice/protocol'
import { createChannel } from './channel.ts'
import { orAborted } from './or-aborted.ts'
import type { Page } from './page.ts'
import { toUnreachable } from './problem.ts'
import type { Call, Requester } from './requester.ts'
import { openSharedSocket, type SharedSocket } from './shared-socket.ts'
import { quietMs } from './sse-stream.ts'
import type { Attempt } from './stay-connected.ts'
import type { WebSocketConstructor } from './web-socket.ts'

export interface SocketParts {
  readonly requester: Requester
  readonly WebSocket: WebSocketConstructor
  readonly clock: Clock
  readonly page: Page
  readonly heartbeatMs: number
}

/** One reading, under one `ref`. */
export interface SocketRequest<T> {
  /** The message that starts it, created again whenever reading starts. */
  request(): JsonObject
  /** Reads a message. Throws if it is unreadable. */
  read(message: JsonObject): readonly T[]
  /** How many of the `size` characters of a message count against the limit. Default: all. */
  weigh?(message: JsonObject, size: number): number
  /** A read over HTTP that is refused for the same reason as a handshake. */
  likewise(): Call
}

/**
 * Reads over one WebSocket, which is open while somebody reads. Yields items that arrived together, and never
 * returns. A WebSocket cannot be read slowly, so the client drops what a slow reader does not take, and
 * requests it again once the reader has taken everything before it.
 */
export type SocketReadings = <T>(
  what: SocketRequest<T>,
  attempt: Attempt,
) => AsyncGenerator<readonly T[], void>

interface Shared {
  readonly socket: Promise<SharedSocket>
  users: number
}

/** The number of characters that may wait for one slow reader. Beyond it, its reading pauses. */
const maxWaiting = 1024 * 1024

export function createSocketReadings(parts: SocketParts): SocketReadings {
  const { requester, clock } = parts
  let shared: Shared | undefined
  let refs = 0

  async function open(onBroken: () => void): Promise<SharedSocket> {
    const url = requester.urlOf(['ws']).replace(/^http/, 'ws')
    return openSharedSocket({ ...parts, url, token: await requester.currentToken(), onBroken })
  }

  /** The open socket, or another one. Every join() needs a leave(). */
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

  return async function* read(what, attempt) {
    const { signal } = attempt
    const member = join()
    try {
      const socket = await orAborted(member.socket, signal)
      await orAborted(socket.opened, signal).catch(async (error: unknown) => {
        signal.throwIfAborted()
        await explain(what.likewise(), requester, signal)
        throw error
      })
      for (;;) yield* readOnce(what, socket, attempt)
    } finally {
      leave(member)
    }
  }

  /** Returns when the reader was too slow. */
  async function* readOnce<T>(
    what: SocketRequest<T>,
    socket: SharedSocket,
    { signal, caughtUp }: Attempt,
  ): AsyncGenerator<readonly T[], void> {
    const ref = String(++refs)
    const channel = createChannel<T>(maxWaiting)
    const abort = () => channel.fail(toUnreachable(signal.reason))
    signal.addEventListener('abort', abort)
    try {
      socket.begin(ref, what.request(), {
        take: (message, size) =>
          channel.push(what.read(message), what.weigh === undefined ? size : what.weigh(message, size)),
        fail: channel.fail,
      })
      for (;;) {
        const quiet = clock.after(quietMs, caughtUp)
        const items = await channel.take().finally(quiet.clear)
        if (items === undefined) return
        yield items
      }
    } finally {
      signal.removeEventListener('abort', abort)
      socket.end(ref)
    }
  }
}

/**
 * A browser does not say why a handshake failed. A read over HTTP fails for the same reason, and reports it.
 */
async function explain(call: Call, requester: Requester, signal: AbortSignal): Promise<void> {
  const answer = await requester.exchange({ ...call, signal })
  // The WebSocket reports a gap in-band.
  if (!answer.ok && answer.error.code !== 'gap') throw answer.error
  if (answer.ok) await answer.response.body?.cancel()
}
