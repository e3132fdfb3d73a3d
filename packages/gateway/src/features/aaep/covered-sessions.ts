import type { Log } from '@sluice/log'
import { omitUndefined } from '@sluice/protocol'
import { isSessionId } from '@sluice/protocol/dialects'
import type { Caller } from '../../access/caller.ts'
import type { Directory } from '../../kernel/sessions/directory.ts'
import type { Session } from '../../kernel/sessions/session.ts'
import { targetOf } from '../../kernel/sessions/session-target.ts'

/** How many heads are read together. */
const pageSize = 200

/**
 * The sessions that a caller may read and that began at `since` (ms) or later, newest first; optionally only
 * running ones.
 */
export async function* sessionsSince(
  log: Log,
  directory: Directory,
  caller: Caller,
  since: number,
  isUnderWay = false,
): AsyncGenerator<Session> {
  let before: { readonly createdAt: number; readonly session: string } | undefined
  for (;;) {
    const heads = await log.list(omitUndefined({ limit: pageSize, before }))
    for (const { session: id, createdAt, endedAt } of heads) {
      if (createdAt < since) return
      if (isUnderWay && endedAt !== undefined) continue
      const session = isSessionId(id) ? await directory.find(id).catch(() => undefined) : undefined
      if (session !== undefined && caller.can('subscribe', targetOf(session))) yield session
    }
    const last = heads.at(-1)
    if (last === undefined || heads.length < pageSize) return
    before = { createdAt: last.createdAt, session: last.session }
  }
}
