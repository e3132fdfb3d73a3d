import { createMemoryLog } from '@sluice/log'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createFaultyLog } from '../../testing/faulty-log.ts'
import { openTestDirectory } from '../../testing/open-test-directory.ts'
import { each, entriesIn, publicationOf } from '../../testing/open-test-writer.ts'
import { runs } from '../../testing/runs.ts'
import { aaepEvent, toBatch } from '../../testing/sample-lines.ts'
import type { PublishTerms } from './writer.ts'

const id = 'sess_once'
const idleSessionMs = 1000
const line = (name: string): string =>
  aaepEvent(
    { session: id, name: 'progress.updated', id: name },
    { progress: { percent: 1 }, summary_normal: name },
  )

type Step =
  | { readonly do: 'publish'; readonly count: number }
  | { readonly do: 'fail'; readonly which: number }
  | { readonly do: 'hold' | 'release' | 'turn' | 'idle' }

const anyStep: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({ do: fc.constant('publish' as const), count: fc.integer({ min: 1, max: 3 }) }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('fail' as const), which: fc.nat(3) }) },
  {
    weight: 6,
    arbitrary: fc.record({ do: fc.constantFrom('hold' as const, 'release', 'turn', 'turn', 'idle') }),
  },
)
const turn = (): Promise<void> => new Promise((run) => setImmediate(run))

test.each(['ids', 'numbers'])(
  'whoever repeats what failed has every event stored once, by %s, whatever fails',
  async (how) => {
    const property = fc.asyncProperty(fc.array(anyStep, { maxLength: 40 }), async (steps) => {
      const log = createFaultyLog(createMemoryLog())
      const { directory, clock } = openTestDirectory(log, { idleSessionMs })
      let release = (): void => {}
      let made = 0
      let attempts = 0
      const underWay: Promise<void>[] = []
      /** Batches that were not acknowledged, by their first number. */
      const failed = new Map<number, readonly string[]>()

      const send = async (first: number, names: readonly string[]): Promise<void> => {
        attempts += 1
        const terms: PublishTerms =
          how === 'ids' ? each : { ...each, claim: { name: 'p', epoch: 0, seq: first } }
        const publication = publicationOf('aaep', how === 'ids' ? {} : { producer: 'p' })
        // With numbers, only the number shows that an event is repeated.
        const texts = names.map((name) => line(how === 'ids' ? name : `${name}x${attempts}`))
        try {
          const session = await directory.open(id)
          const report = await session.write((writer) =>
            writer.publish(toBatch(...texts), publication, terms),
          )
          expect(report.accepted + report.duplicates).toBe(names.length)
          failed.delete(first)
        } catch {
          failed.set(first, names)
        }
      }

      for (const step of steps) {
        if (step.do === 'publish') {
          const names = Array.from({ length: step.count }, (_, index) => `e${made + index}`)
          underWay.push(send(made, names))
          made += step.count
        } else if (step.do === 'fail') log.failAppends('storage_full', step.which)
        else if (step.do === 'hold') {
          release()
          release = log.hold()
        } else if (step.do === 'release') release()
        else if (step.do === 'idle') clock.advance(2 * idleSessionMs)
        await (step.do === 'turn' ? turn() : undefined)
      }
      release()
      await Promise.all(underWay)
      for (let tries = 0; failed.size > 0 && tries < 100; tries++)
        for (const [first, names] of [...failed].sort(([a], [b]) => a - b)) await send(first, names)
      expect(failed.size).toBe(0)

      const entries = await entriesIn(log, id)
      expect(entries.map(({ seq }) => seq)).toEqual(entries.map((_, index) => index))
      const names = entries.map(({ raw }) => /"event_id":"evt_(e\d+)/.exec(raw ?? '')?.[1])
      expect(names.slice().sort()).toEqual(Array.from({ length: made }, (_, index) => `e${index}`).sort())
      if (how === 'numbers') expect(names).toEqual(Array.from({ length: made }, (_, index) => `e${index}`))
      expect((await directory.find(id))?.lastSeq ?? -1).toBe(made - 1)
      await directory.close()
    })
    await fc.assert(property, { numRuns: runs(300) })
  },
)
