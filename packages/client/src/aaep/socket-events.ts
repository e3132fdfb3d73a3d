import { type JsonObject, SluiceError } from '@sluice/protocol'
import type { SocketParts } from '../socket-readings.ts'
import { quietMs } from '../sse-stream.ts'
import type { Attempt } from '../stay-connected.ts'
import type { AaepPlace, AaepTransport } from './event-transport.ts'
import { findSubscription } from './handshake.ts'
import { toResumption } from './messages.ts'
import type { Mutex } from './mutex.ts'
import { closeCodeOf, reasonOf } from './rejection.ts'
import { type AaepConnection, openAaepConnection } from './socket-connection.ts'

export interface AaepSocketParts extends SocketParts {
  /** The request that created the subscription. */
  readonly request: JsonObject
  /**
   * Resuming a subscription states its terms again. A change of terms must not run at the same time, or
   * resuming would undo it.
   */
  readonly mutex: Mutex
}

/** The close code if nothing follows: all sessions have ended, or the subscription was closed elsewhere. */
const overCode = 4000

/** Reads a subscription over its own WebSocket (docs/aaep.md, "Connections"). */
export function createSocketEvents(parts: AaepSocketParts): AaepTransport {
  const { clock, mutex } = parts

  async function open({ subscription, lastEventId }: AaepPlace, attempt: Attempt): Promise<AaepConnection> {
    const { honored_capabilities: terms } = await findSubscription(subscription, attempt, parts)
    const request = toResumption(parts.request, terms, { subscription, lastEventId: lastEventId() })
    return openAaepConnection(request, attempt.signal, parts)
  }

  return async function* read(place, attempt) {
    const { signal } = attempt
    try {
      for (;;) {
        const connection = await mutex.run(() => open(place, attempt), signal)
        try {
          attempt.opened()
          for (;;) {
            const quiet = clock.after(quietMs, attempt.caughtUp)
            const events = await connection.take().finally(quiet.clear)
            if (events === undefined) break
            yield { events, lastEventId: events.at(-1)?.event_id ?? '' }
          }
        } finally {
          connection.close()
        }
      }
    } catch (error) {
      signal.throwIfAborted()
      // The next attempt asks for a credential over HTTP first, and so learns whether the gateway accepts it.
      if (reasonOf(error) === 'authentication_required')
        throw new SluiceError('gateway_unreachable', { cause: error })
      if (closeCodeOf(error) !== overCode) throw error
      // The end is real only if the subscription still exists.
      await findSubscription(place.subscription, attempt, parts)
    }
  }
}
