import { expect, test } from 'vitest'
import { createConcurrencyLimit } from './concurrency-limit.ts'

test('no more tasks than allowed run together, each in its turn, even after one that failed', async () => {
  const limit = createConcurrencyLimit(2)
  const begun: number[] = []
  let running = 0
  const run = async (n: number): Promise<number> => {
    begun.push(n)
    running += 1
    expect(running).toBeLessThanOrEqual(2)
    await new Promise((resolve) => setImmediate(resolve))
    running -= 1
    if (n === 1) throw new Error('failed')
    return n
  }
  const results = await Promise.allSettled([0, 1, 2, 3, 4].map((n) => limit.run(() => run(n))))
  expect(begun).toEqual([0, 1, 2, 3, 4])
  expect(results.map(({ status }) => status === 'fulfilled')).toEqual([true, false, true, true, true])
})
