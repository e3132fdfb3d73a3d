import { orAborted } from '../or-aborted.ts'

/** Lets one piece of work run at a time, in the order in which they came. */
export interface Turns {
  /** Rejects with the signal's reason when that comes before its turn. */
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
