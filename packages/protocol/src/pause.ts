import type { Clock } from './clock.ts'

/** The part of an AbortSignal that is used here: this package loads no platform's types. */
export interface StopSignal {
  readonly aborted: boolean
  readonly reason: unknown
  addEventListener(type: 'abort', listener: () => void): void
  removeEventListener(type: 'abort', listener: () => void): void
}

export interface PauseOptions {
  readonly clock: Clock
  readonly signal: StopSignal
  /** Ends the pause early: registers a listener and returns the function that removes it. */
  readonly onWake?: ((listener: () => void) => () => void) | undefined
}

/** Resolves after `ms` or on wake; rejects with the signal's reason. */
export function pause(ms: number, { clock, signal, onWake }: PauseOptions): Promise<void> {
  return untilAborted(signal, (resolve) => {
    const timer = clock.after(ms, resolve)
    const stopWaking = onWake?.(resolve)
    return () => {
      timer.clear()
      stopWaking?.()
    }
  })
}

/**
 * A promise that `start` resolves and the signal rejects. Either way, calls the function that `start`
 * returned.
 */
export function untilAborted(signal: StopSignal, start: (resolve: () => void) => () => void): Promise<void> {
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
