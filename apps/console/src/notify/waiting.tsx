import { createContext, type ReactNode, useContext } from 'react'
import type { SessionListView } from '../sessions/session-list.ts'
import { useSessionList } from '../sessions/use-session-list.ts'

const WaitingContext = createContext<SessionListView | undefined>(undefined)

/** Follows the sessions that wait for an answer, once for the whole page. */
export function WaitingProvider({ children }: { readonly children: ReactNode }) {
  const list = useSessionList({ state: 'waiting' })
  return <WaitingContext value={list}>{children}</WaitingContext>
}

/** The sessions that wait for an answer, newest first. */
export function useWaiting(): SessionListView {
  const list = useContext(WaitingContext)
  if (list === undefined) throw new Error('There is no <WaitingProvider> above.')
  return list
}
