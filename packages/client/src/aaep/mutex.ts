import { orAborted } from '../or-aborted.ts'

/** Runs one piece of work at a time, in order of arrival. */
export interface Mutex {
  /** Rejects with the signal's reason if it aborts first. */
  run<T>(work: () => Promise<T>, signal: AbortSignal | undefined): Promise<T>
}

export function createMutex(): Mutex {
  let last: Promise<void> = Promise.resolve()
  return {
    async run(work, signal) {
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
