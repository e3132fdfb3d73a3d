import type { CallerResource } from '@sluice/client'
import type { SluiceError } from '@sluice/protocol'
import { toSluiceError, useClient } from '@sluice/react'
import { createContext, type ReactNode, useCallback, useContext, useEffect, useMemo, useState } from 'react'

/** Who looks at the page, and what they may do. */
export interface Access {
  readonly phase: 'loading' | 'ready' | 'closed'
  readonly who: CallerResource | undefined
  readonly error: SluiceError | undefined
  may(action: 'answer' | 'run' | 'admin'): boolean
  signIn(token: string): Promise<void>
  signOut(): Promise<void>
}

const AccessContext = createContext<Access | undefined>(undefined)

interface AccessProviderProps {
  /** A credential that came with the address. */
  readonly token: string | undefined
  readonly children: ReactNode
}

/** Trades a token for the cookie of the gateway, and finds out what it is good for. */
export function AccessProvider({ token, children }: AccessProviderProps) {
  const client = useClient()
  const [state, setState] = useState<Pick<Access, 'phase' | 'who' | 'error'>>({
    phase: 'loading',
    who: undefined,
    error: undefined,
  })

  const look = useCallback(
    async (given?: string): Promise<void> => {
      try {
        if (given !== undefined) await client.login(given)
        setState({ phase: 'ready', who: await client.whoAmI(), error: undefined })
      } catch (thrown) {
        const error = toSluiceError(thrown)
        // A wrong token on a gateway that is open for reading still shows what there is to read.
        const who = given === undefined ? undefined : await client.whoAmI().catch(() => undefined)
        setState({ phase: who === undefined ? 'closed' : 'ready', who, error })
      }
    },
    [client],
  )
  useEffect(() => void look(token), [look, token])

  const access = useMemo<Access>(
    () => ({
      ...state,
      may: (action) => state.who?.actions.includes(action) === true,
      signIn: (given) => look(given),
      async signOut() {
        await client.logout()
        await look()
      },
    }),
    [state, look, client],
  )
  return <AccessContext value={access}>{children}</AccessContext>
}

export function useAccess(): Access {
  const access = useContext(AccessContext)
  if (access === undefined) throw new Error('There is no <AccessProvider> above.')
  return access
}
