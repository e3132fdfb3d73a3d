import fc from 'fast-check'
import { expect, test } from 'vitest'
import { runs } from '../../testing/runs.ts'
import { createRunQueue, type QueuePlace } from './run-queue.ts'

test('turns come first come first served and never too many at once, in any order of going', async () => {
  const steps = fc.array(fc.oneof(fc.constant('take' as const), fc.nat(30)), { maxLength: 80 })
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 1, max: 4 }), fc.nat(5), steps, async (concurrency, queue, plan) => {
      const turns = createRunQueue(concurrency, queue)
      let active: QueuePlace[] = []
      let waiting: QueuePlace[] = []
      for (const step of plan) {
        if (step === 'take') {
          if (active.length === concurrency && waiting.length === queue) {
            expect(() => turns.take()).toThrow(expect.objectContaining({ code: 'agent_busy' }))
            continue
          }
          const turn = turns.take()
          ;(active.length < concurrency ? active : waiting).push(turn)
        } else {
          const all = [...active, ...waiting]
          const going = all[step % Math.max(1, all.length)]
          if (going === undefined) continue
          const wasActive = active.includes(going)
          going.end()
          going.end()
          active = active.filter((turn) => turn !== going)
          waiting = waiting.filter((turn) => turn !== going)
          if (!wasActive) expect(await going.came).toBe(false)
          else if (waiting.length > 0) active.push(...waiting.splice(0, 1))
        }
        for (const turn of active) expect(await turn.came).toBe(true)
        expect(waiting.every(({ isWaiting }) => isWaiting)).toBe(true)
        expect([turns.active, turns.queued]).toEqual([active.length, waiting.length])
      }
    }),
    { numRuns: runs(100) },
  )
})
