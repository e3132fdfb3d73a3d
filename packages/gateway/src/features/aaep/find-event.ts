import type { Cursor } from '@sluice/protocol'
import { isJsonObject } from '@sluice/protocol'
import type { Session } from '../../kernel/sessions/session.ts'
import { parseEventId } from './event-id.ts'

/** The place of a reader that has received an event; `told` as in MintedId. */
export interface FoundEvent {
  readonly cursor: Cursor
  readonly told?: number
}

/** How many of the last entries are searched for an id that a producer gave. */
const maxLookedAt = 16_384
const sliceBytes = 256 * 1024

/** Finds an event of a session by its id: a minted id contains its place, a producer's id is searched for. */
export async function findEvent(session: Session, id: string): Promise<FoundEvent | undefined> {
  const minted = parseEventId(session.id, id)
  if (minted !== undefined) return minted.cursor.seq > session.lastSeq ? undefined : minted
  let seq = Math.max(0, session.lastSeq - maxLookedAt)
  for (;;) {
    const entries = await session.read(seq, sliceBytes)
    if (entries.length === 0) return undefined
    for (const entry of entries) {
      if (entry.events.some(({ meta }) => meta?.id === id || isKeptId(meta?.ext?.['aaep'], id)))
        return { cursor: { seq: entry.seq } }
      seq = entry.seq + 1
    }
  }
}

/** A producer's id that was already taken is stored beside the id that the event got instead. */
function isKeptId(ext: unknown, id: string): boolean {
  return isJsonObject(ext) && ext['event_id'] === id
}
