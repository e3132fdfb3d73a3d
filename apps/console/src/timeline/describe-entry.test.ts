import type { QuestionClose } from '@sluice/protocol'
import { expect, test } from 'vitest'
import { describeEvent } from './describe-entry.ts'

test.each<[string, Partial<QuestionClose>, string]>([
  ['of a person', { decision: 'accept', by: 'ada' }, 'accept, by ada'],
  ['that the agent reports', { decision: 'accept' }, 'accept, says the agent'],
  [
    'that the agent reports with a name',
    { decision: 'accept', claimedBy: 'ada' },
    'accept, by ada, says the agent',
  ],
  ['that the agent reports without content', {}, 'says the agent'],
  ['that nobody gave', { how: 'timeout', decision: 'reject' }, 'timeout, reject'],
])('describeEvent() tells an answer %s', (_, more, text) => {
  const event: QuestionClose = { kind: 'question-close', token: 't', how: 'answered', ...more }
  expect(describeEvent(event)).toEqual({ label: 'Answer', text })
})
