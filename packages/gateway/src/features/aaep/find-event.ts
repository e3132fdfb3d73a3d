import type { Cursor } from '@sluice/protocol'
import { isJsonObject } from '@sluice/protocol'
import type { Session } from '../../kernel/sessions/session.ts'
import { parseEventId } from './event-id.ts'

/** Where a reader stands who has an event; `told` as in MintedId. */
export interface FoundEvent {
  readonly cursor: Cursor
  readonly told?: number
}

/** How many entries back the id that a producer gave is looked for. */
const maxLookedAt = 16_384
const sliceBytes = 256 * 1024

/** Finds an event of a session by its id: one that we minted says where it stands, one of a producer is looked for. */
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

/** An id that was taken when the event came in is kept beside the one that it got. */
function isKeptId(ext: unknown, id: string): boolean {
  return isJsonObject(ext) && ext['event_id'] === id
}
