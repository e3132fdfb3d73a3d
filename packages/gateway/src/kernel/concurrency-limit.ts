/** Runs tasks in the order of the calls, and only a few at once. */
export interface ConcurrencyLimit {
  run<T>(task: () => Promise<T>): Promise<T>
}

export function createConcurrencyLimit(max: number): ConcurrencyLimit {
  let free = max
  // A set: removing the first item of a long array costs its length.
  const waiting = new Set<() => void>()

  const leave = (): void => {
    for (const start of waiting) {
      waiting.delete(start)
      start()
      return
    }
    free += 1
  }

  return {
    async run(task) {
      if (free > 0) free -= 1
      else await new Promise<void>((start) => waiting.add(start))
      try {
        return await task()
      } finally {
        leave()
      }
    },
  }
}
