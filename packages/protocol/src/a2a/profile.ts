import type { TextChannel } from '../events.ts'
import type { JsonObject } from '../json.ts'

/** The artifact that the stream_delta profile streams an answer in. */
export const streamDelta = 'stream_delta'

/** What people read above the text of an artifact. */
export function chunkName(artifact: string, channel: TextChannel): string {
  return channel === 'reasoning' ? 'reasoning' : artifact
}

/** What the metadata of an artifact says of its text (stream_delta profile, Key Fields). */
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

/** True for exactly the metadata of a chunk, with nothing beside it. */
export function isActiveMetadata(metadata: JsonObject | undefined): boolean {
  if (metadata?.['status'] !== 'active' || metadata['status_reason'] !== 'chunk_streaming') return false
  return hasKeys(metadata, 2)
}

/** True for an object with exactly so many keys. */
export function hasKeys(value: object, count: number): boolean {
  let left = count
  for (const _key in value) if (--left < 0) return false
  return left === 0
}

/** A complete message whose JSON is larger is replaced by a digest: stock clients read events of at most 4 MiB. */
export const maxCompleteBytes = 2 * 1024 * 1024
