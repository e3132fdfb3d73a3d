import type { JsonObject } from '@sluice/protocol'

/** A question of the script, and the expected answer. */
export interface AskedQuestion {
  readonly token: string
  readonly event: JsonObject
  /** When it timed out or was answered: no reply may follow. */
  overAtMs?: number
  /** The answer that the script asks of the person; `none` means no answer at all. */
  readonly wanted: string | boolean | 'none'
}

/** A reply of the subscriber. */
export interface TakenReply {
  readonly atMs: number
  /** Absent if it was not a JSON object. */
  readonly message?: JsonObject
}

/** One connection of the subscriber. */
export interface SeenConnection {
  readonly atMs: number
  readonly transport: 'sse' | 'ws'
  /** The `Last-Event-ID` header, if sent. */
  readonly after?: string
  /** The last event that was sent before this connection. */
  readonly lastSent?: string
  /** When it ended, and whether the script ended it. */
  endedAtMs?: number
  isCut?: boolean
}

/** Everything that the scripted producer saw of a subscriber. */
export interface SubscriberRecord {
  /** Every message sent as a request; undefined for one that was not a JSON object. */
  readonly requests: (JsonObject | undefined)[]
  readonly subscriptionIds: string[]
  readonly connections: SeenConnection[]
  readonly questions: AskedQuestion[]
  readonly replies: TakenReply[]
  readonly renegotiations: JsonObject[]
  /** When the script sent unknown types, fields and values. */
  strange?: { readonly fromMs: number; readonly toMs: number }
  /** The token of the question that was sent twice. */
  repeated?: string
  /** A person follows the instructions. */
  readonly isInteractive: boolean
  readonly toleranceMs: number
}

export function createRecord({
  isInteractive,
  toleranceMs,
}: {
  readonly isInteractive: boolean
  readonly toleranceMs: number
}): SubscriberRecord {
  return {
    requests: [],
    subscriptionIds: [],
    connections: [],
    questions: [],
    replies: [],
    renegotiations: [],
    isInteractive,
    toleranceMs,
  }
}
