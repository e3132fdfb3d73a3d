import type { Entry, JsonObject, SluiceEvent } from '@sluice/protocol'

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

/** The types of frames by dialect; a dialect that is not here has JSON objects. Open to declaration merging. */
export interface DialectTypes {
  sluice: { readonly read: SluiceFrame; readonly sent: PublishedFrame | SluiceFrame }
}

/** The dialects of this version, or the name of another. */
export type DialectName =
  | keyof DialectTypes
  | 'aaep'
  | 'agent-event'
  | 'stream-event'
  | 'a2a'
  | 'a2a-v1'
  | (string & {})

/** A frame that a reader of the dialect gets. */
export type FrameOf<D extends DialectName> = D extends keyof DialectTypes
  ? DialectTypes[D]['read']
  : JsonObject

/** An event that a producer of the dialect sends. */
export type EventOf<D extends DialectName> = D extends keyof DialectTypes
  ? DialectTypes[D]['sent']
  : JsonObject
