import { describe, expect, test } from 'vitest'
import type { Level } from './check.ts'
import { producerChecks } from './producer-checks.ts'
import type { Defect } from './testing/defect.ts'
import { defects } from './testing/defects.ts'
import { breachesIn, notRunIn, runSuite } from './testing/run-suite.ts'
import { startAll } from './testing/start-all.ts'

test('there is a broken producer for each check', () => {
  const proven = defects.map(({ check }) => check)
  expect([...new Set(proven)].toSorted()).toEqual(producerChecks.map(({ id }) => id).toSorted())
})

const isSoak = Number(process.env['SLUICE_ROUNDS'] ?? 1) > 1

/** The soak proves every check over both transports. */
function transportsOf({ transport }: Defect): readonly ('sse' | 'ws')[] {
  if (transport !== undefined) return [transport]
  return isSoak ? ['sse', 'ws'] : ['sse']
}

/** The soak runs all levels for each defect, to prove that no check of another level fails by mistake. */
function levelOf({ check }: Defect): Level {
  const level = producerChecks.find(({ id }) => id === check)?.level ?? 3
  return isSoak ? 3 : level
}

describe('the suite finds a producer that', () => {
  const cases = defects.flatMap((defect) =>
    transportsOf(defect).map((transport) => ({ ...defect, transport })),
  )
  const runs = startAll(cases, 16, (defect) =>
    runSuite(defect.behaviour, { transport: defect.transport, level: levelOf(defect) }),
  )

  test.each(cases.map((defect, index) => ({ ...defect, index })))(
    '$says, by $check alone, over $transport',
    async ({ check, isAdvice, index }) => {
      const report = await runs[index]
      const breaches = report === undefined ? [] : breachesIn(report)
      expect(breaches, breaches.join('\n')).toEqual([
        expect.stringMatching(`^${isAdvice === true ? 'warning' : 'failed'} ${check} `),
      ])
    },
  )
})

test('a producer that refuses every subscription fails', async () => {
  const reject = { type: 'subscription.rejected', reason_code: 'rate_limit', reason_message: 'Too many.' }
  const report = await runSuite({ accept: () => reject }, { transport: 'ws' })
  expect(breachesIn(report)).toContainEqual(
    'failed L1-RUN-001 {"where":"accept","detail":"The producer refused the subscription."}',
  )
})

describe('the suite finds nothing wrong with a healthy producer', () => {
  test.each(['sse', 'ws'] as const)('over %s', async (transport) => {
    const report = await runSuite({}, { transport })
    expect(breachesIn(report)).toEqual([])
    // Not everything can be provoked: this producer has no extension and no choices.
    expect(notRunIn(report)).toEqual([
      'L1-ENV-011',
      ...(transport === 'ws' ? ['L1-SSE-001'] : []),
      'L2-CLAR-002',
    ])
  })

  test('of the reference dialect, where level 3 is not run', async () => {
    const report = await runSuite({}, { transport: 'sse', isReference: true })
    expect(breachesIn(report)).toEqual([])
    const verdicts = (level: number): ReadonlySet<string> =>
      new Set(report.checks.filter((result) => result.level === level).map(({ verdict }) => verdict))
    expect(verdicts(2)).toContain('passed')
    expect(verdicts(3)).toEqual(new Set(['not run']))
  })

  test('at level 1 without a question being answered twice', async () => {
    const report = await runSuite({}, { transport: 'sse', level: 1 })
    expect(breachesIn(report)).toEqual([])
    expect(new Set(report.checks.map(({ level }) => level))).toEqual(new Set([1]))
  })
})
