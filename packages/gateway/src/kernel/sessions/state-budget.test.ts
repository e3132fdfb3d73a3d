import { expect, test } from 'vitest'
import { createStateBudget } from './state-budget.ts'

test('a budget counts each session once, and says when a session grows beyond it', () => {
  let calls = 0
  const budget = createStateBudget(100, () => {
    calls += 1
  })
  budget.set('a', 60)
  budget.set('b', 40)
  expect([budget.used, budget.isFull, calls]).toEqual([100, false, 0])
  budget.set('a', 70)
  expect([budget.used, budget.isFull, calls]).toEqual([110, true, 1])
  budget.set('b', 0)
  budget.set('c', 0)
  expect([budget.used, budget.isFull, calls]).toEqual([70, false, 1])
})
