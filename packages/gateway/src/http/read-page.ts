import { type Cursor, formatCursor, type OutFrame } from '@sluice/protocol'
import { cursorOf, type Position, stepEntry, type ViewSpec } from '../fan-out/position.ts'
import { toCursorFrame } from '../fan-out/wire-format.ts'
import type { Session } from '../sessions/session.ts'
import { enter, isAtEnd } from './open-stream.ts'

const maxPageBytes = 1024 * 1024

/** A page of frames as JSON text (docs/http-api.md, Reading). It ends between entries, or where `limit` falls. */
export async function readPage(
  session: Session,
  spec: ViewSpec,
  after: Cursor | 'now',
  limit: number,
): Promise<string> {
  if (isAtEnd(session, after)) return `{"frames":[],"cursor":"${session.lastSeq}","end":true}`
  const { entered } = await enter(session, spec, after, 'json')
  const texts: string[] = []
  let bytes = 0
  let position: Position = entered.position
  let last: Cursor | undefined
  const take = (frames: readonly OutFrame[]): boolean => {
    for (const frame of frames) {
      if (texts.length >= limit || (bytes > 0 && bytes + frame.data.length > maxPageBytes)) return false
      texts.push(toCursorFrame(frame))
      bytes += frame.data.length
      last = frame.cursor
    }
    return true
  }
  let isOpen = take(entered.frames)
  while (isOpen && position.seq < session.lastSeq) {
    const entries = await session.read(position.seq + 1, maxPageBytes)
    if (entries.length === 0) break
    for (const entry of entries) {
      const stepped = stepEntry(spec, position, entry)
      isOpen = take(stepped.frames)
      if (!isOpen) break
      position = stepped.position
    }
  }
  // Cut inside an entry, the page ends at its last frame.
  const cursor = isOpen || last === undefined ? cursorOf(position) : last
  const isEnd = isOpen && session.isEnded && position.seq === session.lastSeq
  return `{"frames":[${texts.join(',')}],"cursor":"${formatCursor(cursor)}","end":${isEnd}}`
}
