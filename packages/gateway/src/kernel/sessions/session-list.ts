import type { ListPlace, Log, SessionHead } from '@sluice/log'
import { omitUndefined, type SessionResource, SluiceError } from '@sluice/protocol'
import { isSessionId } from '@sluice/protocol/dialects'
import type { SessionTarget } from '../../access/caller.ts'
import { toResource } from './session-info.ts'
import { targetOfHead } from './session-target.ts'

/** Which sessions are requested. */
export interface SessionQuery {
  readonly limit: number
  readonly page?: string
  readonly state?: string
  readonly context?: string
  readonly labels: readonly (readonly [name: string, value: string])[]
  /** A text in the id, foreign id, title, agent or a label; case is ignored. */
  readonly text?: string
}

export interface SessionPage {
  readonly sessions: readonly SessionResource[]
  readonly next?: string
}

/** How many heads one request examines; a page may be short, and `next` continues after it. */
const maxScanned = 5000
const scanBatch = 200

/** The sessions that match and that `isVisible` accepts, newest first. */
export async function listSessions(
  log: Log,
  query: SessionQuery,
  isVisible: (target: SessionTarget) => boolean,
): Promise<SessionPage> {
  const sessions: SessionResource[] = []
  let place = query.page === undefined ? undefined : parsePlace(query.page)
  for (let scanned = 0; ; ) {
    const heads = await log.list(omitUndefined({ limit: scanBatch, before: place }))
    for (const head of heads) {
      // The mark of a page must not reveal the id of a session that the reader may not see.
      if (scanned >= maxScanned && place !== undefined && head.createdAt < place.createdAt)
        return { sessions, next: formatPlace({ createdAt: place.createdAt, session: '' }) }
      scanned += 1
      place = placeOf(head)
      if (!isSessionId(head.session)) continue
      const resource = toResource(head)
      if (!matches(resource, query) || !isVisible(targetOfHead(head))) continue
      sessions.push(resource)
      if (sessions.length === query.limit) return { sessions, next: formatPlace(place) }
    }
    if (heads.length < scanBatch) return { sessions }
  }
}

export function matches(resource: SessionResource, query: Omit<SessionQuery, 'limit' | 'page'>): boolean {
  if (query.state !== undefined && resource.state !== query.state) return false
  if (query.context !== undefined && resource.context !== query.context) return false
  if (!query.labels.every(([name, value]) => resource.labels[name] === value)) return false
  if (query.text === undefined) return true
  const wanted = query.text.toLowerCase()
  const { id, foreign, title, agent, labels } = resource
  return [id, foreign, title, agent?.id, agent?.name, ...Object.values(labels)].some((text) =>
    text?.toLowerCase().includes(wanted),
  )
}

function placeOf(head: SessionHead): ListPlace {
  return { createdAt: head.createdAt, session: head.session }
}

function formatPlace({ createdAt, session }: ListPlace): string {
  return Buffer.from(`${createdAt} ${session}`).toString('base64url')
}

function parsePlace(page: string): ListPlace {
  const [, createdAt, session] =
    /^(\d{1,16}) (sess_[A-Za-z0-9]{1,64}|)$/.exec(Buffer.from(page, 'base64url').toString('latin1')) ?? []
  if (createdAt === undefined || session === undefined)
    throw new SluiceError('bad_request', { message: 'page is not the next of another page.' })
  return { createdAt: Number(createdAt), session }
}
