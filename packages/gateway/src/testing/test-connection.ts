import type { JsonObject } from '@sluice/protocol'
import type { SentEvent, SubscriptionConnection } from '../features/aaep/stream.ts'

/** A connection of an AAEP client that records what it receives, and that can be stalled. */
export interface TestConnection extends SubscriptionConnection {
  readonly events: readonly SentEvent[]
  /** The events, parsed. */
  readonly values: readonly JsonObject[]
  readonly heartbeats: number
  /** How it ended; undefined while it is open. */
  readonly end: 'finished' | 'reset' | undefined
  /** Accepts nothing after the next write. */
  stall(): void
  /** Accepts everything again. The test must call the stream's drained(). */
  unstall(): void
}

export function createTestConnection(): TestConnection {
  const events: SentEvent[] = []
  let heartbeats = 0
  let end: TestConnection['end']
  let isStalled = false
  let isFull = false
  return {
    events,
    get values() {
      return events.map(({ data }) => JSON.parse(data) as JsonObject) // what AAEP encodes is an object
    },
    get heartbeats() {
      return heartbeats
    },
    get end() {
      return end
    },
    stall() {
      isStalled = true
    },
    unstall() {
      isStalled = false
      isFull = false
    },
    write(sent) {
      if (end !== undefined) throw new Error('written to after the end')
      if (isFull) throw new Error('written to although it is full')
      events.push(...sent)
      isFull = isStalled
      return !isFull
    },
    heartbeat() {
      heartbeats += 1
    },
    finish() {
      end ??= 'finished'
    },
    reset() {
      end ??= 'reset'
    },
  }
}
