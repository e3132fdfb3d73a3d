import type { SluiceError } from '@sluice/protocol'
import { toSluiceError } from '@sluice/react'
import { useEffect, useState } from 'react'

/** What came of a request; neither while it is under way. */
interface Answer<T> {
  readonly answer?: T
  readonly error?: SluiceError
}

/** Asks once, and once more for each other `ask`: keep it the same between renders. Without one nothing is asked. */
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
