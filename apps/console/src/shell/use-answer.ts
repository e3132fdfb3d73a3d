import type { SluiceError } from '@sluice/protocol'
import { toSluiceError } from '@sluice/react'
import { useEffect, useState } from 'react'

/** The outcome of a request; empty while it is under way. */
interface Answer<T> {
  readonly answer?: T
  readonly error?: SluiceError
}

/** Asks once, and again for every other `ask`: keep it the same between renders. Asks nothing without one. */
export function useAnswer<T>(ask: ((signal: AbortSignal) => Promise<T>) | undefined): Answer<T> {
  const [told, setTold] = useState<Answer<T> & { readonly to: typeof ask }>()
  useEffect(() => {
    if (ask === undefined) return
    const left = new AbortController()
    ask(left.signal).then(
      (answer) => !left.signal.aborted && setTold({ to: ask, answer }),
      (thrown: unknown) => !left.signal.aborted && setTold({ to: ask, error: toSluiceError(thrown) }),
    )
    return () => left.abort()
  }, [ask])
  return told !== undefined && told.to === ask ? told : {}
}
