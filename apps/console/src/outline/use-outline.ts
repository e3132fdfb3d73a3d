import { useClient, useSessionEntries } from '@sluice/react'
import { useMemo, useSyncExternalStore } from 'react'
import { createOutlineStore, type OutlineStore, type OutlineView } from './outline-store.ts'

/** The outline of a session; nothing is read before a component uses it. */
export function useOutlineStore(id: string): OutlineStore {
  const client = useClient()
  const store = useMemo(() => createOutlineStore(client, id), [client, id])
  useSessionEntries(id, (entries) => store.add(entries))
  return store
}

/** Reads an outline, and renders again when it changes. */
export function useOutline(store: OutlineStore): OutlineView {
  return useSyncExternalStore(store.subscribe, store.getSnapshot)
}
