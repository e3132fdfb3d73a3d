import fc from 'fast-check'
import { expect, test } from 'vitest'
import { describe } from './describe.ts'
import type { SluiceEvent } from './events.ts'
import { anyEvent } from './testing/arbitrary-events.ts'
import { runs } from './testing/runs.ts'

test.each<[SluiceEvent, string]>([
  [{ kind: 'progress', percent: 39.7 }, '40 percent done.'],
  [{ kind: 'progress', step: 2, total: 5 }, 'Step 2 of 5.'],
  [{ kind: 'progress', text: 'Looking up trains', percent: 3 }, 'Looking up trains'],
  [{ kind: 'question-open', question: 'confirmation', token: 'q', text: 'May I?' }, 'May I?'],
  [{ kind: 'session-end', outcome: 'cancelled' }, 'The session has ended: cancelled.'],
  [
    { kind: 'tool-result', call: 'c', tool: 'search', status: 'timeout' },
    'The tool search has ended: timeout.',
  ],
])('describe(%j) is "%s"', (event, sentence) => {
  expect(describe(event)).toBe(sentence)
})

test('describe() is never empty and never tells a payload', () => {
  const secret = 'SENTINEL'
  fc.assert(
    fc.property(anyEvent, (event) => {
      const planted = {
        ...event,
        ...('request' in event ? { request: secret } : {}),
        ...('args' in event ? { args: { secret } } : {}),
        ...('argsSummary' in event ? { argsSummary: secret } : {}),
        ...('argsText' in event ? { argsText: secret } : {}),
        ...('result' in event ? { result: secret } : {}),
        ...(event.kind === 'tool-result' ? { message: secret } : {}),
      } as SluiceEvent // the same kind, other texts
      expect(describe(planted)).not.toBe('')
      expect(describe(planted)).not.toContain(secret)
    }),
    { numRuns: runs(1000) },
  )
})
