import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { anyEntries } from '../../packages/protocol/src/testing/arbitrary-events.ts'
import { runs } from '../../packages/protocol/src/testing/runs.ts'
import { entriesOf } from '../../packages/protocol/src/testing/sessions.ts'
import { rounds } from '../testing/rounds.ts'
import { checkPairs, type PairOptions } from './cursor-pairs.ts'
import { sampleSessions, timed } from './sample-sessions.ts'
import { readFrom, type StoredSession, storeSession, views } from './view-readers.ts'

/** The soak checks all pairs; other runs a third of those inside a unit, and a tenth of the others. */
const isInSample = (cursor: number, view: number, text: string): boolean =>
  rounds > 1 || (cursor + view) % (/[a-z]/.test(text) ? 3 : 10) === 0

const check = (session: StoredSession, isChosen: PairOptions['isChosen']) =>
  checkPairs({ session, views, read: ({ spec }, at) => readFrom(spec, session, at), isChosen })

describe('every view continues from a cursor of any view with all that comes after it, and nothing of before', () => {
  test.each(sampleSessions)('in a session with $name', async ({ entries }) => {
    const { checked, cursors, wrong } = await check(storeSession(entries), isInSample)
    expect(wrong).toEqual([])
    expect(cursors.length).toBeGreaterThan(10)
    expect(checked).toBeGreaterThan(50)
  })

  test('in random sessions', async () => {
    let checked = 0
    const forms = new Set<string>()
    await fc.assert(
      fc.asyncProperty(
        anyEntries,
        fc.array(fc.nat({ max: 60 }), { minLength: 1 }),
        fc.nat({ max: 20 }),
        async (groups, gaps, turn) => {
          const session = storeSession(timed(entriesOf(groups.slice(0, 6)).entries, gaps))
          const pairs = await check(session, (cursor, view) => (cursor + view + turn) % 20 === 0)
          expect(pairs.wrong).toEqual([])
          checked += pairs.checked
          for (const cursor of pairs.cursors) forms.add(cursor.replaceAll(/\d+/g, 'n'))
        },
      ),
      { numRuns: runs(20) },
    )
    expect(checked).toBeGreaterThan(200)
    expect([...forms]).toEqual(expect.arrayContaining(['n', 'n.n', 'n.n.en', 'n.n.aaep.n']))
  })
})
