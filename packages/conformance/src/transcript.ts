import type { JsonObject } from '@sluice/protocol'

/** An event and when it arrived. */
export interface ArrivedEvent {
  readonly kind: 'event'
  readonly atMs: number
  readonly event: JsonObject
  /** The fields of its SSE frame, if the transport is SSE. */
  readonly frame?: { readonly event?: string; readonly id?: string }
}

/** Why a message was sent. */
export type Intent =
  | 'accept'
  | 'reject'
  | 'answer'
  | 'forged'
  | 'ill-typed'
  | 'replayed'
  | 'late'
  | 'renegotiate'
  | 'close'

/** A message that the suite sent, and the HTTP answer to it. */
export interface SentMessage {
  readonly kind: 'sent'
  readonly atMs: number
  readonly intent: Intent
  /** The reply token of the question that it is about. */
  readonly about?: string
  readonly message: JsonObject
  readonly status?: number
  /** The body of the answer as text, only for comparison with other answers: no report shows it. */
  readonly body?: string
}

export type Item =
  | ArrivedEvent
  | SentMessage
  /** A message that is not an event, such as `subscription.accepted`. */
  | { readonly kind: 'message'; readonly atMs: number; readonly message: JsonObject }
  /** Something that is not one JSON object. */
  | { readonly kind: 'garbage'; readonly atMs: number; readonly detail: string }
  /** The suite reconnected and asked for the events after the id `after`. */
  | { readonly kind: 'resumed'; readonly atMs: number; readonly after: string; readonly isTaken: boolean }
  /** The producer ended the connection. */
  | { readonly kind: 'ended'; readonly atMs: number }

/** What each subscription is for. */
export type Role = 'main' | 'twin' | 'slow' | 'filtered' | 'cut' | 'changing' | 'closing' | 'lost'

/** One subscription in one run, in the order of arrival. */
export interface Reading {
  readonly where: string
  readonly role: Role
  /** Absent where the producer has no handshake. */
  readonly request?: JsonObject
  readonly accepted?: JsonObject
  readonly items: readonly Item[]
}

/** One triggered session and all its subscriptions. */
export interface Run {
  readonly purpose: 'accept' | 'reject' | 'timeout'
  readonly readings: readonly Reading[]
  /** Why there was nothing to read. */
  readonly failure?: string
}

/** One attempt at a handshake. */
export interface Probe {
  readonly name: 'plain' | 'version' | 'nonsense' | 'capabilities' | 'extension' | 'signed-only'
  readonly request: JsonObject
  /** Absent if the producer did not answer, or not with a JSON object. */
  readonly answer?: JsonObject
}

/** The manifest and its signature, each if found. */
export interface ManifestProbe {
  readonly status: number
  readonly manifest?: JsonObject
  /** The signed manifest, from the handshake or its URL: whether the signature is valid, and the claims. */
  readonly signed?: { readonly isGenuine: boolean; readonly detail: string; readonly claims?: JsonObject }
}

/** Everything that the suite saw of a producer. */
export interface Transcript {
  readonly transport: 'sse' | 'ws'
  /** False for the HTTP dialect of the reference programs, which has no handshake. */
  readonly hasHandshake: boolean
  readonly runs: readonly Run[]
  readonly probes: readonly Probe[]
  readonly manifest: ManifestProbe
  /** The rate that the slow subscription requested, in events per second. */
  readonly slowRate: number
  /** The allowance for network and scheduler delays when times are compared. */
  readonly toleranceMs: number
}
