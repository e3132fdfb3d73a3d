import type { SluiceError } from '@sluice/protocol'
import { toSluiceError } from '@sluice/react'
import { useState } from 'react'

/** An action that runs once at a time; its error is kept until the next run. */
export interface Action {
  readonly isBusy: boolean
  readonly error: SluiceError | undefined
  run(): void
}

export function useAction(work: () => Promise<void>): Action {
  const [isBusy, setBusy] = useState(false)
  const [error, setError] = useState<SluiceError>()
  return {
    isBusy,
    error,
    run() {
      if (isBusy) return
      setBusy(true)
      setError(undefined)
      work()
        .catch((thrown: unknown) => setError(toSluiceError(thrown)))
        .finally(() => setBusy(false))
    },
  }
}
