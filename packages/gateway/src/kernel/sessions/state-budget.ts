/** How much the states (protocol, window.ts) and event ids of all sessions in memory may weigh together. */
export interface StateBudget {
  /** Sets what a session holds; 0 when it holds nothing. */
  set(session: string, weight: number): void
  readonly used: number
  readonly isFull: boolean
}

/** `onFull` is called whenever a session grows while the budget is used up. */
export function createStateBudget(maxWeight: number, onFull: () => void): StateBudget {
  const weights = new Map<string, number>()
  let used = 0
  const isFull = (): boolean => used > maxWeight
  return {
    set(session, weight) {
      const before = weights.get(session) ?? 0
      used += weight - before
      if (weight === 0) weights.delete(session)
      else weights.set(session, weight)
      if (weight > before && isFull()) onFull()
    },
    get used() {
      return used
    },
    get isFull() {
      return isFull()
    },
  }
}
