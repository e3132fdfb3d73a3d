import type { SluiceError } from '@sluice/protocol'
import { toSluiceError } from '@sluice/react'
import { useState } from 'react'

/** Something that a person has done once at a time; what it fails with is kept until the next time. */
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
