import type { Clock } from '@sluice/protocol'
import type { Page } from './page.ts'

interface PauseOptions {
  readonly clock: Clock
  readonly page: Page
  readonly signal: AbortSignal
  /** Whether a page that wakes ends the pause; not when the gateway asked for it. */
  readonly endsOnWake: boolean
}

/** Resolves after `ms` or when the page wakes; rejects with the signal's reason. */
export function pause(ms: number, { clock, page, signal, endsOnWake }: PauseOptions): Promise<void> {
  return settle(signal, (resolve) => {
    const timer = clock.after(ms, resolve)
    const stopWaking = endsOnWake ? page.onWake(resolve) : () => {}
    return () => {
      timer.clear()
      stopWaking()
    }
  })
}

/** Resolves once the platform has a network; rejects with the signal's reason. */
export function untilOnline(page: Page, signal: AbortSignal): Promise<void> {
  return settle(signal, (resolve) =>
    page.onWake(() => {
      if (page.isOnline()) resolve()
    }),
  )
}

/** A promise that `start` resolves, and that the signal rejects; what `start` answers is called in both cases. */
function settle(signal: AbortSignal, start: (resolve: () => void) => () => void): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) {
      reject(signal.reason)
      return
    }
    const finish = () => {
      signal.removeEventListener('abort', abort)
      stop()
    }
    const abort = () => {
      finish()
      reject(signal.reason)
    }
    const stop = start(() => {
      finish()
      resolve()
    })
    signal.addEventListener('abort', abort)
  })
}
