import { useEffect, useMemo, useSyncExternalStore } from 'react'
import { useClient } from '../sluice-provider.tsx'
import { createSessionPast, type PastView } from './session-past.ts'

/** The session as it was after entry `seq`; undefined reads nothing. */
export function useSessionAt(id: string, seq: number | undefined): PastView {
  const client = useClient()
  const past = useMemo(() => createSessionPast(client, id), [client, id])
  useEffect(() => past.goTo(seq), [past, seq])
  return useSyncExternalStore(past.subscribe, past.getSnapshot, past.getSnapshot)
}
