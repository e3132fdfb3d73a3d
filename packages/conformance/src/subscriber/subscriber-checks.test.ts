import { describe, expect, test } from 'vitest'
import { runSubscriberSuite } from '../testing/run-subscriber-suite.ts'
import { breachesIn, notRunIn } from '../testing/run-suite.ts'
import { startAll } from '../testing/start-all.ts'
import { subscriberDefects } from '../testing/subscriber-defects.ts'
import { subscriberChecks } from './subscriber-checks.ts'

test('there is a broken subscriber for each check', () => {
  expect(subscriberDefects.map(({ check }) => check).toSorted()).toEqual(
    subscriberChecks.map(({ id }) => id).toSorted(),
  )
})

describe('the suite finds a subscriber that', () => {
  const runs = startAll(subscriberDefects, 16, ({ behaviour }) =>
    runSubscriberSuite(behaviour, { transport: 'sse' }),
  )

  test.each(subscriberDefects.map((defect, index) => ({ ...defect, index })))(
    '$says, by $check alone',
    async ({ check, index }) => {
      const report = await runs[index]
      const breaches = report === undefined ? [] : breachesIn(report)
      expect(breaches, breaches.join('\n')).toEqual([expect.stringMatching(`^failed ${check} `)])
    },
  )
})

describe('the suite finds nothing wrong with a healthy subscriber', () => {
  test.each([
    { transport: 'sse', isInteractive: true, notRun: [] },
    { transport: 'ws', isInteractive: true, notRun: ['S3-RES-002'] },
    { transport: 'sse', isInteractive: false, notRun: ['S2-REPLY-007', 'S2-AUTO-001'] },
  ] as const)('over $transport, with a person: $isInteractive', async ({ notRun, ...settings }) => {
    const report = await runSubscriberSuite({}, settings)
    expect(breachesIn(report)).toEqual([])
    expect(notRunIn(report)).toEqual(notRun)
  })
})
