import type { Clock, JsonObject } from '@sluice/protocol'
import { textOf } from '../story.ts'
import type { SeenConnection, SubscriberRecord } from './subscriber-record.ts'

/** A way to the subscriber while it is connected. */
export interface Outlet {
  readonly transport: 'sse' | 'ws'
  send(event: JsonObject): void
  /** Breaks the connection without a word. */
  cut(): void
}

/** The place of the one subscriber that is examined. */
export interface Seat {
  take(outlet: Outlet, after?: string): void
  leave(outlet: Outlet): void
  /** Sends an event, or keeps it until the subscriber is back. */
  deliver(event: JsonObject): void
  cut(): void
  isTaken(): boolean
}

export function createSeat(record: SubscriberRecord, clock: Clock, onChange: () => void): Seat {
  const log: JsonObject[] = []
  let sent = 0
  let current: { readonly outlet: Outlet; readonly seen: SeenConnection } | undefined
  const catchUp = (): void => {
    for (const event of log.slice(sent)) {
      if (current === undefined) return
      current.outlet.send(event)
      sent += 1
    }
  }
  return {
    take(outlet, after) {
      const last = log[sent - 1]
      const seen: SeenConnection = {
        atMs: clock.now(),
        transport: outlet.transport,
        ...(after !== undefined && { after }),
        ...(last !== undefined && { lastSent: textOf(last, 'event_id') }),
      }
      record.connections.push(seen)
      current = { outlet, seen }
      const known = log.findIndex((event) => textOf(event, 'event_id') === after)
      if (known >= 0) sent = Math.min(sent, known + 1)
      catchUp()
      onChange()
    },
    leave(outlet) {
      if (current?.outlet !== outlet) return
      current.seen.endedAtMs = clock.now()
      current = undefined
      onChange()
    },
    deliver(event) {
      log.push(event)
      catchUp()
    },
    cut() {
      if (current === undefined) return
      const { outlet, seen } = current
      seen.endedAtMs = clock.now()
      seen.isCut = true
      current = undefined
      outlet.cut()
    },
    isTaken: () => current !== undefined,
  }
}
