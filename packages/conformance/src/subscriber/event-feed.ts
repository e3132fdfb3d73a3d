import { type Clock, type JsonObject, omitUndefined } from '@sluice/protocol'
import { textOf } from '../story.ts'
import type { SeenConnection, SubscriberRecord } from './subscriber-record.ts'

/** One connection of the subscriber. */
export interface SubscriberConnection {
  readonly transport: 'sse' | 'ws'
  send(event: JsonObject): void
  /** Drops the connection without a closing handshake. */
  cut(): void
}

/** The events for the one subscriber under test, over whichever connection it has. */
export interface EventFeed {
  attach(connection: SubscriberConnection, after?: string): void
  detach(connection: SubscriberConnection): void
  /** Sends an event, or keeps it until the subscriber is back. */
  deliver(event: JsonObject): void
  cut(): void
  isConnected(): boolean
}

export function createEventFeed(record: SubscriberRecord, clock: Clock, onChange: () => void): EventFeed {
  const log: JsonObject[] = []
  let sent = 0
  let current: { readonly connection: SubscriberConnection; readonly seen: SeenConnection } | undefined
  const catchUp = (): void => {
    for (const event of log.slice(sent)) {
      if (current === undefined) return
      current.connection.send(event)
      sent += 1
    }
  }
  return {
    attach(connection, after) {
      const last = log[sent - 1]
      const seen: SeenConnection = {
        atMs: clock.monotonic(),
        transport: connection.transport,
        ...omitUndefined({ after, lastSent: last === undefined ? undefined : textOf(last, 'event_id') }),
      }
      record.connections.push(seen)
      current = { connection, seen }
      const known = log.findIndex((event) => textOf(event, 'event_id') === after)
      if (known >= 0) sent = Math.min(sent, known + 1)
      catchUp()
      onChange()
    },
    detach(connection) {
      if (current?.connection !== connection) return
      current.seen.endedAtMs = clock.monotonic()
      current = undefined
      onChange()
    },
    deliver(event) {
      log.push(event)
      catchUp()
    },
    cut() {
      if (current === undefined) return
      const { connection, seen } = current
      seen.endedAtMs = clock.monotonic()
      seen.isCut = true
      current = undefined
      connection.cut()
    },
    isConnected: () => current !== undefined,
  }
}
