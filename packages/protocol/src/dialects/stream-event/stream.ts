import type { SluiceEvent } from '../../events.ts'
import type { Finding } from '../../finding.ts'
import type { OpenCall } from '../../open-calls.ts'

/** What the next frame needs of the frames before it. */
export interface StreamEventStream {
  readonly calls: readonly OpenCall[]
}

/** What a frame means. */
export interface Understood {
  readonly state: StreamEventStream
  readonly events: readonly SluiceEvent[]
  readonly findings?: readonly Finding[]
  /** False when the frame may not be handed on as it is. */
  readonly exact?: boolean
}
