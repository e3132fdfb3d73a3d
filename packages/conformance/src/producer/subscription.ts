import type { Clock, JsonObject } from '@sluice/protocol'
import type { Intent, Item, Reading, Role } from '../transcript.ts'
import type { Recorder } from './recorder.ts'

/** One subscription of the suite. */
export interface Subscription {
  readonly role: Role
  readonly recorder: Recorder
  readonly request?: JsonObject
  readonly accepted?: JsonObject
  /** Sends a message and records it with what came back; `about` is the token of the question concerned. */
  send(intent: Intent, message: JsonObject, about?: string): Promise<void>
  /** Breaks the connection, as a network failure would. */
  cut(): void
  /** Reconnects and resumes after this event. */
  resume(after: string): Promise<void>
  /** Ends the subscription and the recording. */
  release(): Promise<void>
}

/** The producer under test, over one transport. */
export interface ProducerTransport {
  readonly hasHandshake: boolean
  /** Requests a subscription, closes it at once and resolves with the answer; undefined if none arrived. */
  probe(request: JsonObject): Promise<JsonObject | undefined>
  /** Subscribes; undefined when the producer refuses. */
  open(role: Role, request: JsonObject): Promise<Subscription | undefined>
}

export interface ConnectOptions {
  /** Without a trailing slash. */
  readonly url: string
  readonly token?: string
  readonly clock: Clock
  /** Sessions to ignore. */
  readonly foreign: ReadonlySet<string>
  /** How long an answer may take. */
  readonly answerMs: number
}

/** Items that are completed after they were recorded. */
export type Writable<T> = { -readonly [Key in keyof T]: T[Key] }
export type Resumed = Extract<Item, { kind: 'resumed' }>

export function toReading(purpose: string, subscription: Subscription): Reading {
  const { role, request, accepted, recorder } = subscription
  return {
    where: `${purpose}/${role}`,
    role,
    ...(request && { request }),
    ...(accepted && { accepted }),
    items: [...recorder.items],
  }
}
