import type { Entry, JsonObject, SluiceEvent } from '@sluice/protocol'
import type {
  A2aFrame,
  A2aV1Frame,
  AaepFrame,
  AgentEventFrame,
  StreamEventFrame,
} from '@sluice/protocol/dialects'

/** A frame of the dialect `sluice`: the entry itself (docs/protocol.md, "The entry"). */
export interface SluiceFrame extends Entry {
  readonly v: 1
  readonly session: string
  readonly foreign?: string
  readonly context?: string
}

/** What a producer of the dialect `sluice` sends (docs/protocol.md, "Publishing"). */
export interface PublishedFrame {
  readonly v?: 1
  readonly session?: string
  readonly foreign?: string
  readonly context?: string
  readonly events: readonly SluiceEvent[]
}

/** The frame types of each dialect; a dialect not listed has JSON objects. Open to declaration merging. */
export interface DialectTypes {
  sluice: { readonly read: SluiceFrame; readonly sent: PublishedFrame | SluiceFrame }
  aaep: { readonly read: AaepFrame; readonly sent: Sent<AaepFrame> }
  'agent-event': { readonly read: AgentEventFrame; readonly sent: Sent<AgentEventFrame> }
  'stream-event': { readonly read: StreamEventFrame; readonly sent: Sent<StreamEventFrame> }
  a2a: { readonly read: A2aFrame; readonly sent: Sent<A2aFrame> }
  'a2a-v1': { readonly read: A2aV1Frame; readonly sent: Sent<A2aV1Frame> }
}

/**
 * A gateway also accepts what a later version of a dialect allows, so types of sent frames are not strict.
 */
type Sent<Frame> = Frame | JsonObject

/** The dialects of this version, or the name of another. */
export type DialectName = keyof DialectTypes | (string & {})

/** A frame that a reader of the dialect gets. */
export type FrameOf<D extends DialectName> = D extends keyof DialectTypes
  ? DialectTypes[D]['read']
  : JsonObject

/** An event that a producer of the dialect sends. */
export type EventOf<D extends DialectName> = D extends keyof DialectTypes
  ? DialectTypes[D]['sent']
  : JsonObject
