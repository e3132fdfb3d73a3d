import type { QuestionClose, QuestionOpen } from '@sluice/protocol'
import { describe, expect, test } from 'vitest'
import { answerWays, wayOfKey } from './answer-ways.ts'
import { describeClose } from './describe-close.ts'
import { englishQuestionLabels as labels } from './question-labels.ts'

const open = (more: Partial<QuestionOpen>): QuestionOpen => ({
  kind: 'question-open',
  question: 'confirmation',
  token: 't',
  text: 'May I?',
  ...more,
})
const waysOf = (more: Partial<QuestionOpen>) => answerWays(open(more), labels)
const brief = (more: Partial<QuestionOpen>) =>
  waysOf(more).buttons.map(
    ({ label, key, isDefault }) => `${label} ${key ?? '-'}${isDefault ? ' default' : ''}`,
  )

describe('answerWays()', () => {
  test.each<[string, Partial<QuestionOpen>, readonly string[]]>([
    ['a confirmation', { default: 'reject' }, ['Accept y', 'Reject n default']],
    ['other decisions', { allowed: ['accept', 'later'] }, ['Accept y', 'later 1']],
    [
      'yes or no',
      { question: 'clarification', kinds: ['yes_no'], default: 'true' },
      ['Yes y default', 'No n'],
    ],
    [
      'choices',
      {
        question: 'clarification',
        choices: [
          { value: 'a', label: 'Alpha' },
          { value: 'b', label: 'Beta' },
        ],
        default: 'b',
      },
      ['Alpha 1', 'Beta 2 default'],
    ],
    ['free text', { question: 'clarification' }, []],
  ])('%s', (_, asked, buttons) => expect(brief(asked)).toEqual(buttons))

  test('tells what may be typed', () => {
    expect(waysOf({ question: 'clarification' }).typed).toBe('text')
    expect(waysOf({ question: 'clarification', kinds: ['numeric'] }).typed).toBe('number')
    expect(waysOf({}).typed).toBeUndefined()
  })

  test('gives keys to the first nine choices', () => {
    const choices = Array.from({ length: 12 }, (_, n) => ({ value: `v${n}`, label: `L${n}` }))
    const ways = waysOf({ question: 'clarification', choices })
    expect(wayOfKey(ways, '9')?.label).toBe('L8')
    expect(ways.buttons[9]?.key).toBeUndefined()
    expect(wayOfKey(ways, '0')).toBeUndefined()
    expect(wayOfKey(waysOf({}), 'Y')?.label).toBe('Accept')
  })
})

describe('describeClose()', () => {
  const close = (more: Partial<QuestionClose>): QuestionClose => ({
    kind: 'question-close',
    token: 't',
    how: 'answered',
    ...more,
  })
  const accept = { token: 't', decision: 'accept' }
  test.each<[string, Partial<QuestionClose>, typeof accept | undefined, string]>([
    ['answered here', { decision: 'accept', by: 'ada' }, accept, 'You answered: Accept.'],
    [
      'answered elsewhere',
      { decision: 'reject', by: 'ada' },
      undefined,
      'Answered elsewhere: Reject, by ada.',
    ],
    [
      'answered elsewhere first',
      { decision: 'reject', by: 'ada' },
      accept,
      'Answered elsewhere: Reject, by ada.',
    ],
    [
      'claimed with a name',
      { decision: 'accept', claimedBy: 'ada' },
      undefined,
      'The agent says that ada answered: Accept.',
    ],
    [
      'claimed without a name',
      { decision: 'accept' },
      undefined,
      'The agent says that somebody answered: Accept.',
    ],
    ['claimed without an answer', {}, undefined, 'The agent says that somebody answered.'],
    [
      'claimed for what was sent here',
      { decision: 'accept', claimedBy: 'ada' },
      accept,
      'The agent says that ada answered: Accept.',
    ],
    ['timed out', { how: 'timeout', decision: 'reject' }, undefined, 'Nobody answered in time: Reject.'],
    ['timed out without a default', { how: 'timeout' }, undefined, 'Nobody answered in time.'],
    ['withdrawn', { how: 'cancelled' }, undefined, 'The question was withdrawn.'],
  ])('%s', (_, closed, sent, told) => {
    expect(describeClose(close(closed), waysOf({}), { labels, sent })).toBe(told)
  })
})
