import { SluiceError } from '@sluice/protocol'
import { toSessionId } from '@sluice/protocol/dialects'
import type { Directory } from '../../kernel/sessions/directory.ts'
import type { Session } from '../../kernel/sessions/session.ts'
import { toInfo } from '../../kernel/sessions/session-info.ts'
import { originalsOf, toAlias } from './session-alias.ts'
import type { UpstreamEvent } from './upstream-event.ts'

/**
 * Where a session of a remote producer is stored. Only the writer that first brought a session writes to it,
 * so events never circulate between gateways: one that returns belongs to a session of another writer.
 */
export type SessionPlace =
  | { readonly id: string; readonly isRenamed: boolean }
  /** Another writer brought it, it was deleted here, or no name is left for it. */
  | undefined

/** Finds the place of an event's session. `isOurs` recognizes sessions that the event's producer brought. */
export async function placeSession(
  directory: Directory,
  isOurs: (session: Session) => boolean,
  { session: named, agent }: UpstreamEvent,
): Promise<SessionPlace> {
  const id = toSessionId(agent, named)
  try {
    const known = await directory.find(id)
    if (known !== undefined && isOurs(known)) return { id, isRenamed: false }
    for (const original of originalsOf(id)) {
      const here = await directory.find(original)
      if (here !== undefined && (await isOf(here, agent))) return undefined
    }
    if (known === undefined) return { id, isRenamed: false }
    const alias = (await isOf(known, agent)) ? undefined : toAlias(agent, id)
    if (alias === undefined) return undefined
    const renamed = await directory.find(alias)
    return renamed === undefined || isOurs(renamed) ? { id: alias, isRenamed: true } : undefined
  } catch (error) {
    if (error instanceof SluiceError && error.code === 'session_deleted') return undefined
    throw error
  }
}

/** How much of a session is searched for its agents. */
const readBytes = 64 * 1024

/** Whether an agent appears in a session: as the latest one, or near its beginning. */
async function isOf(session: Session, agent: string): Promise<boolean> {
  const last = session.head === undefined ? undefined : toInfo(session.head.info).agent
  if (agentIdOf(last) === agent) return true
  const entries = await session.read(0, readBytes)
  return entries.some(({ events }) =>
    events.some(({ meta }) => meta?.agent !== undefined && agentIdOf(meta.agent) === agent),
  )
}

/** The name of an agent in AAEP. */
function agentIdOf(agent: { readonly id?: string; readonly kind?: string } | undefined): string {
  return agent?.id || agent?.kind || 'unknown'
}
