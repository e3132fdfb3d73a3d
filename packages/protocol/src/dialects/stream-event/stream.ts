import type { SluiceEvent } from '../../events.ts'
import type { Finding } from '../../finding.ts'
import type { OpenCall } from '../../open-calls.ts'

/** What the next frame needs of the frames before it. */
export interface StreamEventStream {
  readonly calls: readonly OpenCall[]
}

/** The meaning of a frame. */
export interface Understood {
  readonly state: StreamEventStream
  readonly events: readonly SluiceEvent[]
  readonly findings?: readonly Finding[]
  /** False if the frame may not go out unchanged. */
  readonly exact?: boolean
}
