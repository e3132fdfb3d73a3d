import { type Client, systemClock } from '@sluice/client'
import type { Clock } from '@sluice/protocol'
import { createContext, type ReactNode, useContext, useMemo } from 'react'
import { createSessionStores, type SessionStores } from './session/session-stores.ts'

export interface SluiceProviderProps {
  /** Made once, outside of rendering: another client is another gateway. */
  readonly client: Client
  readonly clock?: Clock
  /** What is shown changes at most once in so many ms. Default 50. */
  readonly paceMs?: number
  readonly children?: ReactNode
}

const StoresContext = createContext<SessionStores | undefined>(undefined)

/** A session that nobody shows any more stays connected so long, for a page that comes back to it. */
const lingerMs = 2_000

/** Gives the hooks below it their client; components that look at the same session share one connection. */
export function SluiceProvider({ client, clock = systemClock, paceMs = 50, children }: SluiceProviderProps) {
  const stores = useMemo(
    () => createSessionStores({ client, clock, paceMs, lingerMs }),
    [client, clock, paceMs],
  )
  return <StoresContext value={stores}>{children}</StoresContext>
}

/** The sessions of the provider above. Throws where there is none. */
export function useStores(): SessionStores {
  const stores = useContext(StoresContext)
  if (stores === undefined) throw new Error('Sluice hooks need a <SluiceProvider client={…}> above them.')
  return stores
}

/** The client of the provider above. */
export function useClient(): Client {
  return useStores().client
}
