import type { Client } from '@sluice/client'
import { type Clock, systemClock } from '@sluice/protocol'
import { createContext, type ReactNode, useContext, useMemo } from 'react'
import { createSessionStores, type SessionStores } from './session/session-stores.ts'

export interface SluiceProviderProps {
  /** Create it once, outside rendering: another client means another gateway. */
  readonly client: Client
  readonly clock?: Clock
  /** Views change at most once per this time. Default 50. */
  readonly paceMs?: number
  readonly children?: ReactNode
}

const StoresContext = createContext<SessionStores | undefined>(undefined)

/** How long a session stays connected after nothing shows it, in case the page returns to it. */
const lingerMs = 2_000

/** Gives the hooks below it their client. Components that show the same session share one connection. */
export function SluiceProvider({ client, clock = systemClock, paceMs = 50, children }: SluiceProviderProps) {
  const stores = useMemo(
    () => createSessionStores({ client, clock, paceMs, lingerMs }),
    [client, clock, paceMs],
  )
  return <StoresContext value={stores}>{children}</StoresContext>
}

/** The sessions of the provider above. Throws if there is none. */
export function useStores(): SessionStores {
  const stores = useContext(StoresContext)
  if (stores === undefined) throw new Error('Sluice hooks need a <SluiceProvider client={…}> above them.')
  return stores
}

/** The client of the provider above. */
export function useClient(): Client {
  return useStores().client
}
