import type { RingBudget, RingShare } from './ring-budget.ts'

/** What one stalled subscriber takes of the budget. */
export interface KeptMemory {
  /** Takes bytes until `free()`. If the budget is used up, the subscriber that stalled first gives way. */
  hold(bytes: number): void
  free(): void
}

/** Calls `release` when the subscriber must give way. */
export function createKeptMemory(budget: RingBudget, release: () => void): KeptMemory {
  let share: RingShare | undefined
  let held = 0

  const free = (): void => {
    if (share === undefined) return
    share.leave()
    share = undefined
    budget.release(held)
  }

  return {
    hold(bytes) {
      if (share !== undefined || bytes === 0) return
      held = bytes
      share = budget.join(() => {
        free()
        release()
      })
      share.take(bytes)
    },
    free,
  }
}
