import { type Cursor, formatCursor, type OutFrame } from '@sluice/protocol'
import { cursorOf, type Position, stepEntry, type ViewSpec } from '../../kernel/fan-out/position.ts'
import { toCursorFrame } from '../../kernel/fan-out/wire-format.ts'
import type { Session } from '../../kernel/sessions/session.ts'
import { enter, isAtEnd } from './open-stream.ts'

const maxPageBytes = 1024 * 1024

export interface PageRequest {
  readonly spec: ViewSpec
  readonly after: Cursor | 'now'
  readonly limit: number
  /** Begins with the frames that the dialect needs for joining; otherwise the page continues what the client has. */
  readonly join: boolean
}

/**
 * A page of frames as JSON text (docs/http-api.md, Reading). It ends between entries, or inside one at
 * `limit` or 1 MiB, which do not count frames for joining.
 */
export async function readPage(session: Session, { spec, after, limit, join }: PageRequest): Promise<string> {
  if (isAtEnd(session, after)) return `{"frames":[],"cursor":"${session.lastSeq}","end":true}`
  const { entered } = await enter(session, { spec, after, media: 'json' })
  const texts = join ? entered.joining().map(toCursorFrame) : []
  let count = 0
  let bytes = 0
  let position: Position = entered.position
  let last: Cursor | undefined
  const take = (frames: readonly OutFrame[]): boolean => {
    for (const frame of frames) {
      if (count >= limit || (count > 0 && bytes + frame.data.length > maxPageBytes)) return false
      texts.push(toCursorFrame(frame))
      last = frame.cursor
      count += 1
      bytes += frame.data.length
    }
    return true
  }
  let isOpen = take(entered.rest)
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
  // If the page was cut inside an entry, it ends at its last frame.
  const cursor = isOpen || last === undefined ? cursorOf(position) : last
  const isEnd = isOpen && session.isEnded && position.seq === session.lastSeq
  return `{"frames":[${texts.join(',')}],"cursor":"${formatCursor(cursor)}","end":${isEnd}}`
}
