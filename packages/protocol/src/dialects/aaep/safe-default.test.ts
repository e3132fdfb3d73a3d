import { describe, expect, test } from 'vitest'
import type { QuestionOpen } from '../../events.ts'
import type { JsonObject } from '../../json.ts'
import { confirmation, core, event, read, started, writtenAs } from '../../testing/aaep-frames.ts'
import { withSafeDefault } from './safe-default.ts'
import { sluiceContext } from './wire/vocabulary.ts'

const tea: QuestionOpen = {
  kind: 'question-open',
  question: 'confirmation',
  token: 'rpl_1',
  text: 'Make tea?',
  risk: 'low',
  default: 'accept',
}

describe('withSafeDefault', () => {
  const irreversible = { ...tea, irreversible: true } as const
  test.each<[string, QuestionOpen, string | undefined]>([
    ['what cannot be undone', { ...irreversible, risk: 'high' }, 'reject'],
    ['another reply', { ...irreversible, risk: 'medium', default: 'always' }, 'reject'],
    [
      'an authorization',
      { ...irreversible, risk: 'high', question: 'authorization', default: 'once' },
      'reject',
    ],
    ['a low risk', irreversible, 'accept'],
    ['what can be undone', { ...tea, risk: 'high' }, 'accept'],
    [
      'the text of a clarification',
      { ...irreversible, risk: 'high', question: 'clarification', default: 'blue' },
      'blue',
    ],
  ])('decides by default: %s', (_what, asks, byDefault) => {
    expect(withSafeDefault(asks).default).toBe(byDefault)
  })

  test('leaves a question without a default without one', () => {
    const { default: _default, ...asks } = irreversible
    expect(withSafeDefault({ ...asks, risk: 'high' }).default).toBeUndefined()
  })

  test('holds for a default that is carried beside a rejection', () => {
    const asOpened = (fields: JsonObject) =>
      read(
        started,
        event('awaiting.confirmation', {
          '@context': [core, sluiceContext],
          ...fields,
          extensions: { sluice: { default: 'always' } },
        }),
      ).entries[1]?.events[0]
    expect(asOpened(confirmation)).toMatchObject({ default: 'always' })
    expect(asOpened({ ...confirmation, irreversible: true, risk_level: 'high' })).toMatchObject({
      default: 'reject',
    })
    expect(writtenAs({ ...irreversible, risk: 'high', default: 'always' })[0]).toMatchObject({
      default_decision: 'reject',
    })
  })
})
