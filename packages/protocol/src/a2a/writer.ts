import type { Entry } from '../entry.ts'
import type { JsonObject } from '../json.ts'
import type { A2aFrame } from './model.ts'

/** How a version of the contract writes. */
export interface A2aWriter {
  /** The versions of A2A, this one first: what they kept of a frame may be used. */
  readonly dialects: readonly string[]
  /** A message may stand between the updates of a task. */
  readonly hasLooseMessages: boolean
  /** The frame as a value; `isOwn` where it was read in this version and is written as it was. */
  write(frame: A2aFrame, isOwn: boolean): JsonObject
  isValid(value: JsonObject): boolean
}

/** True for a frame of A2A, in whatever form, in which no rule was found broken. */
export function isSound(entry: Entry, dialects: readonly string[]): boolean {
  return entry.diagnostics.length === 0 && dialects.includes(entry.source.dialect)
}
