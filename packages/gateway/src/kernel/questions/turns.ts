/** Runs tasks in the order of the calls, at most `max` at once. Tasks must not reject. */
export function createTurns(max: number): (task: () => Promise<void>) => void {
  const waiting = new Set<() => Promise<void>>()
  let running = 0

  const run = async (): Promise<void> => {
    running += 1
    for (const task of waiting) {
      waiting.delete(task)
      await task()
    }
    running -= 1
  }

  return (task) => {
    waiting.add(task)
    if (running < max) void run()
  }
}
