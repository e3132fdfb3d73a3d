import fc from 'fast-check'
import { expect, test } from 'vitest'
import { runs } from '../../testing/runs.ts'
import { createWriteOrder } from './write-order.ts'

test('calls begin in their order, whenever they come and however long they take', async () => {
  const call = fc.record({
    /** Turns of the microtask queue between the call before and this one. */
    after: fc.nat(6),
    /** How many turns it holds up the others; 0 is none. */
    held: fc.nat(4),
    fails: fc.boolean(),
  })
  await fc.assert(
    fc.asyncProperty(fc.array(call, { maxLength: 12 }), async (calls) => {
      const order = createWriteOrder()
      const begun: number[] = []
      const pass = async (turns: number): Promise<void> => {
        for (let turn = 0; turn < turns; turn++) await Promise.resolve()
      }
      const start = async (n: number, held: number): Promise<void> => {
        const turn = order.enter()
        let leave = turn === undefined ? undefined : await turn
        try {
          begun.push(n)
          if (held === 0) return
          leave ??= order.hold()
          await pass(held)
          begun.push(n)
        } finally {
          leave?.()
        }
      }
      const begin = (n: number, { held, fails }: { readonly held: number; readonly fails: boolean }) =>
        fails
          ? order.run(async () => {
              begun.push(n)
              throw new Error('failed')
            })
          : start(n, held)
      const done: Promise<void>[] = []
      for (const [n, each] of calls.entries()) {
        await pass(each.after)
        done.push(begin(n, each))
      }
      await Promise.allSettled(done)
      expect(begun).toEqual(calls.flatMap(({ held, fails }, n) => (held === 0 || fails ? [n] : [n, n])))
    }),
    { numRuns: runs(500) },
  )
})
