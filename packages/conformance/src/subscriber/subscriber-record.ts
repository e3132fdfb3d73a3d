import type { JsonObject } from '@sluice/protocol'

/** A question of the script, and what a right subscriber does with it. */
export interface AskedQuestion {
  readonly token: string
  readonly event: JsonObject
  /** From when on no reply may come: it timed out or was answered. */
  overAtMs?: number
  /** What the person was told to answer; `none` is no answer at all. */
  readonly wanted: string | boolean | 'none'
}

/** What a subscriber sent back. */
export interface TakenReply {
  readonly atMs: number
  /** Absent when it was no JSON object. */
  readonly message?: JsonObject
}

/** One connection of the subscriber. */
export interface SeenConnection {
  readonly atMs: number
  readonly transport: 'sse' | 'ws'
  /** `Last-Event-ID`, where the transport has one. */
  readonly after?: string
  /** The last event that was sent before this connection. */
  readonly lastSent?: string
  /** When it ended, and whether the script did it. */
  endedAtMs?: number
  isCut?: boolean
}

/** Everything that the scripted producer saw of a subscriber. */
export interface SubscriberRecord {
  /** Every `subscription.request`; undefined where one was no JSON object. */
  readonly requests: (JsonObject | undefined)[]
  readonly subscriptionIds: string[]
  readonly connections: SeenConnection[]
  readonly questions: AskedQuestion[]
  readonly replies: TakenReply[]
  readonly renegotiations: JsonObject[]
  /** From when to when it was sent what it cannot know. */
  strange?: { readonly fromMs: number; readonly toMs: number }
  /** The question that was sent twice. */
  repeated?: string
  /** A person follows the instructions. */
  readonly isInteractive: boolean
  readonly toleranceMs: number
}

export function createRecord(isInteractive: boolean, toleranceMs: number): SubscriberRecord {
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
