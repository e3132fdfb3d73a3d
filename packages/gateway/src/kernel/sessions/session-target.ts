import type { SessionHead } from '@sluice/log'
import type { SessionTarget } from '../../access/caller.ts'
import type { Session } from './session.ts'
import { toInfo } from './session-info.ts'

/** What grants look at. */
export function targetOf({ id, head }: Session): SessionTarget {
  return head === undefined ? { id, labels: {} } : targetOfHead(head)
}

/** The same from the head of a session that is not open. */
export function targetOfHead(head: SessionHead): SessionTarget {
  const { labels, owner, boundAgent } = toInfo(head.info)
  return {
    id: head.session,
    labels,
    ...(owner === undefined ? {} : { owner }),
    ...(boundAgent === undefined ? {} : { agent: boundAgent }),
  }
}
