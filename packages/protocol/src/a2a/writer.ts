import type { Entry } from '../entry.ts'
import type { JsonObject } from '../json.ts'
import type { A2aFrame } from './model.ts'

/** Where a frame comes from that is written. */
export interface FrameOrigin {
  /** It came in the version that is being written, and goes out as it came. */
  readonly isOwn: boolean
}

/** How a version of A2A writes. */
export interface A2aWriter {
  /** The versions of A2A, this one first: the encoder may use what any of them kept of a frame. */
  readonly dialects: readonly [own: string, ...others: string[]]
  /** Allows messages between the updates of a task. */
  readonly hasLooseMessages: boolean
  /** The frame as a value. */
  write(frame: A2aFrame, origin: FrameOrigin): JsonObject
  isValid(value: JsonObject): boolean
}

/** True for a frame of any version of A2A without findings. */
export function isSound(entry: Entry, dialects: readonly string[]): boolean {
  return entry.diagnostics.length === 0 && dialects.includes(entry.source.dialect)
}
