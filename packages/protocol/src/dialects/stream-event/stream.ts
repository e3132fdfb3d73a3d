import type { SluiceEvent } from '../../events.ts'
import type { Finding } from '../../finding.ts'
import type { JsonValue } from '../../json.ts'
import type { OpenCall } from '../../open-calls.ts'
import type { SessionState } from '../../session-state.ts'
import type { Kept } from './kept.ts'

/** What the next frame needs of the frames before it. */
export interface StreamEventStream {
  readonly calls: readonly OpenCall[]
}

/** One frame while it is being decoded. */
export interface Reading {
  readonly state: StreamEventStream
  readonly session: SessionState
  readonly data: JsonValue
  /** How the frame differs from the documented form. */
  readonly kept: Kept
}

/** The meaning of a frame. */
export interface Understood {
  readonly state: StreamEventStream
  readonly events: readonly SluiceEvent[]
  readonly findings?: readonly Finding[]
  /** False if the frame may not go out unchanged. */
  readonly exact?: boolean
}
