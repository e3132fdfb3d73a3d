import { omitUndefined } from '@sluice/protocol'
import { isSessionId } from '@sluice/protocol/dialects'
import type { Caller } from '../../access/caller.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import type { Session } from '../../kernel/sessions/session.ts'
import { targetOf } from '../../kernel/sessions/session-target.ts'

/** How many heads are read together. */
const pageSize = 200

interface Covering {
  /** Milliseconds since 1970. */
  readonly since: number
  readonly isUnderWay?: boolean | undefined
}

/**
 * The sessions that a caller may read and that began at `since` or later, newest first; optionally only running ones.
 */
export async function* sessionsSince(
  { log, directory }: Pick<Kernel, 'log' | 'directory'>,
  caller: Caller,
  { since, isUnderWay = false }: Covering,
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
