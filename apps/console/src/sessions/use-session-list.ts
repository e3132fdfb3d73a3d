import { omitUndefined } from '@sluice/protocol'
import { useClient } from '@sluice/react'
import { useMemo, useSyncExternalStore } from 'react'
import {
  createSessionList,
  type ListFilter,
  type SessionListStore,
  type SessionListView,
} from './session-list.ts'

/** The sessions that match, followed while the component is mounted. */
export function useSessionList({
  q,
  state,
  context,
}: ListFilter): SessionListView & Pick<SessionListStore, 'more'> {
  const client = useClient()
  const store = useMemo(
    () => createSessionList(client, omitUndefined({ q: q || undefined, state, context })),
    [client, q, state, context],
  )
  const view = useSyncExternalStore(store.subscribe, store.getSnapshot)
  return { ...view, more: store.more }
}
