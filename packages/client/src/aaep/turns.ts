import { orAborted } from '../or-aborted.ts'

/** Runs one piece of work at a time, in order of arrival. */
export interface Turns {
  /** Rejects with the signal's reason if it aborts first. */
  alone<T>(work: () => Promise<T>, signal: AbortSignal | undefined): Promise<T>
}

export function createTurns(): Turns {
  let last: Promise<void> = Promise.resolve()
  return {
    async alone(work, signal) {
      const before = last
      let finish = () => {}
      const mine = new Promise<void>((resolve) => {
        finish = resolve
      })
      last = before.then(() => mine)
      try {
        await orAborted(before, signal)
        return await work()
      } finally {
        finish()
      }
    },
  }
}
