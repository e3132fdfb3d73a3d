/** Lets only a few tasks run at the same time; the others wait in order. */
export interface Turns {
  take<T>(task: () => Promise<T>): Promise<T>
}

export function createTurns(count: number): Turns {
  let free = count
  const waiting: (() => void)[] = []
  return {
    async take(task) {
      if (free > 0) free -= 1
      else await new Promise<void>((run) => waiting.push(run))
      try {
        return await task()
      } finally {
        const next = waiting.shift()
        if (next === undefined) free += 1
        else next()
      }
    },
  }
}
