import { type JsonObject, omitUndefined } from '@sluice/protocol'
import { until } from '../../testing/until.ts'
import type { AaepReading, AaepRequest } from './aaep-reading.ts'
import { aaepTransports } from './aaep-transports.ts'
import { isTerminal } from './told.ts'

/** A subscriber that reconnects after its last event whenever its connection ends. */
export interface FollowingSubscriber {
  /** All events, over all connections. */
  readonly events: readonly JsonObject[]
  readonly connections: number
  /** Resolves when it has seen the end of `ends` sessions. */
  readonly done: Promise<void>
}

export interface Following {
  /** How many sessions it reads to their end. */
  readonly ends: number
  /** It breaks its connection after this many events, and continues over another transport. */
  readonly cutAfter: number
}

const isPassing =
  /ECONNREFUSED|ECONNRESET|socket hang up|fetch failed|503|transport_unavailable|closed with 10\d\d/

/** Follows an existing subscription, or makes one first. */
export function followSubscription(request: AaepRequest, { ends, cutAfter }: Following): FollowingSubscriber {
  const events: JsonObject[] = []
  const transports = Object.values(aaepTransports)
  let { subscription } = request
  let connections = 0

  const open = async (): Promise<AaepReading> => {
    let reading: AaepReading | undefined
    const transport = transports[connections % transports.length]
    const lastEventId = events.at(-1)?.['event_id']
    // A gateway that is stopping or down refuses the connection, so this retries until it is back.
    await until(async () => {
      reading = await transport?.({
        ...request,
        ...omitUndefined({
          subscription,
          lastEventId: lastEventId === undefined ? undefined : String(lastEventId),
        }),
      }).catch((error: unknown) => {
        if (isPassing.test(String(error))) return undefined
        throw error
      })
      return reading !== undefined
    })
    if (reading === undefined) throw new Error('no connection')
    connections += 1
    return reading
  }

  const follow = async (): Promise<void> => {
    while (events.filter(isTerminal).length < ends) {
      const reading = await open()
      subscription = reading.subscription
      let taken = 0
      await until(() => {
        const more = reading.events.slice(taken, cutAfter)
        taken += more.length
        events.push(...more)
        return taken === cutAfter || reading.closed !== undefined || events.filter(isTerminal).length >= ends
      })
      reading.cut()
    }
  }
  const done = follow()
  done.catch(() => {}) // callers that need the error await it
  return {
    events,
    get connections() {
      return connections
    },
    done,
  }
}
