import { type CallerResource, createClient } from '@sluice/client'
import { omitUndefined, type SluiceError } from '@sluice/protocol'
import { SluiceProvider, toSluiceError } from '@sluice/react'
import {
  createContext,
  type ReactNode,
  useCallback,
  useContext,
  useEffect,
  useEffectEvent,
  useMemo,
  useState,
  useSyncExternalStore,
} from 'react'
import type { KeptLogin } from './kept-login.ts'
import { type LinkOffer, weighLink } from './link-offer.ts'
import { takeToken } from './take-token.ts'

/** Something about signing in that went wrong. */
export interface AccessTrouble {
  readonly what: string
  readonly error: SluiceError
}

/** The caller of this page, and what they may do. */
export interface Access {
  readonly phase: 'loading' | 'ready' | 'closed'
  readonly who: CallerResource | undefined
  readonly trouble: AccessTrouble | undefined
  /** Set when an opened link would sign in as somebody else. */
  readonly offer: LinkOffer | undefined
  may(action: 'answer' | 'run' | 'admin'): boolean
  signIn(token: string): Promise<void>
  signOut(): Promise<void>
  /** Leaves everything as it is. */
  declineOffer(): void
}

const AccessContext = createContext<Access | undefined>(undefined)

interface AccessProviderProps {
  readonly kept: KeptLogin
  /** A credential from the address. */
  readonly token: string | undefined
  readonly children: ReactNode
}

/**
 * The shortest wait before the login is checked again. The gateway may still accept a login that has expired
 * here: clocks differ.
 */
const recheckMs = 60_000
const maxTimerMs = 2 ** 31 - 1

/** Trades a token for a login, looks up what it allows, and provides a client that uses it. */
export function AccessProvider({ kept, token, children }: AccessProviderProps) {
  const login = useSyncExternalStore(kept.subscribe, kept.get)
  const [who, setWho] = useState<CallerResource>()
  const [phase, setPhase] = useState<Access['phase']>('loading')
  const [trouble, setTrouble] = useState<AccessTrouble>()
  const [offer, setOffer] = useState<LinkOffer>()
  const [refusals, setRefusals] = useState(0)
  /** The key of an opened link, until it is decided what to do with it. */
  const [linked, setLinked] = useState(token)

  const client = useMemo(
    () =>
      createClient({
        url: '/',
        transport: 'ws',
        ...omitUndefined({ token: login?.token }),
        async fetch(url, init) {
          const response = await fetch(url, init)
          // Somebody ended the login or revoked its key.
          if (response.status === 401 && !url.endsWith('/v1/login')) setRefusals((count) => count + 1)
          return response
        },
      }),
    [login],
  )

  const look = useCallback(async (): Promise<void> => {
    try {
      setWho(await client.whoAmI())
      setPhase('ready')
    } catch (thrown) {
      const error = toSluiceError(thrown)
      const isRefused = error.details?.['status'] === 401
      if (isRefused && login !== undefined) {
        setTrouble({ what: 'You are no longer signed in.', error })
        kept.set(undefined)
        return
      }
      if (!isRefused) setTrouble({ what: 'The gateway did not tell who you are.', error })
      setWho(undefined)
      setPhase('closed')
    }
  }, [client, kept, login])
  const isSigningIn = linked !== undefined && login === undefined
  // biome-ignore lint/correctness/useExhaustiveDependencies: every refusal is a reason to look again.
  useEffect(() => {
    if (!isSigningIn) void look()
  }, [look, refusals, isSigningIn])

  useEffect(() => {
    if (login === undefined || who === undefined) return
    const leftMs = Math.max(recheckMs, login.expiresAt - Date.now())
    const timer = setTimeout(() => void look(), Math.min(leftMs, maxTimerMs))
    return () => clearTimeout(timer)
  }, [login, who, look])

  const signIn = useCallback(
    async (given: string): Promise<void> => {
      setOffer(undefined)
      setTrouble(undefined)
      try {
        const next = await client.login(given)
        // Nothing uses the previous login any longer.
        if (kept.get() !== undefined) await client.logout().catch(() => {})
        kept.set(next)
      } catch (thrown) {
        setTrouble({ what: 'The gateway did not take the key.', error: toSluiceError(thrown) })
      }
    },
    [client, kept],
  )

  const signOut = useCallback(async (): Promise<void> => {
    try {
      setTrouble(undefined)
      await client.logout()
    } catch (thrown) {
      const error = toSluiceError(thrown)
      if (error.details?.['status'] !== 401)
        setTrouble({ what: 'You are signed out here, but the gateway was not told.', error })
    }
    kept.set(undefined)
  }, [client, kept])

  const follow = useEffectEvent(async (given: string): Promise<void> => {
    if (login === undefined) return signIn(given)
    try {
      const weighed = await weighLink(client, given)
      if (weighed === 'take') await signIn(given)
      else if (weighed !== 'ignore') setOffer(weighed)
    } catch (thrown) {
      const what = 'The gateway did not take the key of the link. You are still signed in as before.'
      setTrouble({ what, error: toSluiceError(thrown) })
    }
  })
  useEffect(() => {
    if (linked !== undefined)
      void follow(linked).finally(() => setLinked((now) => (now === linked ? undefined : now)))
  }, [linked])
  useEffect(() => {
    const onHash = (): void => {
      const given = takeToken()
      if (given !== undefined) setLinked(given)
    }
    addEventListener('hashchange', onHash)
    return () => removeEventListener('hashchange', onHash)
  }, [])

  const access = useMemo<Access>(
    () => ({
      phase,
      who,
      trouble,
      offer,
      may: (action) => who?.actions.includes(action) === true,
      signIn,
      signOut,
      declineOffer: () => setOffer(undefined),
    }),
    [phase, who, trouble, offer, signIn, signOut],
  )
  return (
    <AccessContext value={access}>
      <SluiceProvider client={client}>{children}</SluiceProvider>
    </AccessContext>
  )
}

export function useAccess(): Access {
  const access = useContext(AccessContext)
  if (access === undefined) throw new Error('There is no <AccessProvider> above.')
  return access
}
