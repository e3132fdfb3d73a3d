/** Wakes everything that waits for the next ring. */
export interface Bell {
  ring(): void
  wait(): Promise<void>
}

export function createBell(): Bell {
  let waiting: (() => void)[] = []
  return {
    ring() {
      const woken = waiting
      waiting = []
      for (const wake of woken) wake()
    },
    wait: () => new Promise((resolve) => waiting.push(resolve)),
  }
}
