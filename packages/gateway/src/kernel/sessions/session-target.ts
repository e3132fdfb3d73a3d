import type { SessionHead } from '@sluice/log'
import { omitUndefined } from '@sluice/protocol'
import type { SessionTarget } from '../../access/caller.ts'
import type { Session } from './session.ts'
import { toInfo } from './session-info.ts'

/** The properties of a session that grants are checked against. */
export function targetOf({ id, head }: Session): SessionTarget {
  return head === undefined ? { id, labels: {} } : targetOfHead(head)
}

/** The same from the head of a session that is not open. */
export function targetOfHead(head: SessionHead): SessionTarget {
  const { labels, owner, boundAgent } = toInfo(head.info)
  return omitUndefined({
    id: head.session,
    labels,
    owner,
    agent: boundAgent,
  })
}
