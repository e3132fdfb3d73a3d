import type { TextChannel } from '../events.ts'
import type { JsonObject } from '../json.ts'

/** The artifact in which the stream_delta profile streams an answer. */
export const streamDelta = 'stream_delta'

/** The title of an artifact's text, for people. */
export function chunkName(artifact: string, channel: TextChannel): string {
  return channel === 'reasoning' ? 'reasoning' : artifact
}

/** What the metadata of an artifact says about its text (stream_delta profile, Key Fields). */
export interface Progression {
  readonly isFinal: boolean
  readonly isInterrupted: boolean
}

const unsaid: Progression = { isFinal: false, isInterrupted: false }

export function progressionOf(metadata: JsonObject | undefined): Progression {
  if (metadata === undefined || metadata['status'] !== 'finalized') return unsaid
  return { isFinal: true, isInterrupted: metadata['status_reason'] === 'interrupt' }
}

export const activeMetadata = { status: 'active', status_reason: 'chunk_streaming' } as const
export const completeMetadata = { status: 'finalized', status_reason: 'complete_message' } as const
export const interruptMetadata = { status: 'finalized', status_reason: 'interrupt' } as const

/** True for exactly the metadata of a chunk, without further keys. */
export function isActiveMetadata(metadata: JsonObject | undefined): boolean {
  if (metadata?.['status'] !== 'active' || metadata['status_reason'] !== 'chunk_streaming') return false
  return hasKeys(metadata, 2)
}

/** True for an object with exactly `count` keys. */
export function hasKeys(value: object, count: number): boolean {
  let left = count
  for (const _key in value) if (--left < 0) return false
  return left === 0
}
