import { type JsonObject, type JsonValue, omitUndefined } from '@sluice/protocol'
import { dialectById } from '@sluice/protocol/dialects'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { runs } from '../../../testing/runs.ts'
import { type TailorWish, tailorFrame } from './tailor-frame.ts'

const aaep = dialectById('aaep')

function frame(name: string, fields: JsonObject): JsonObject {
  return {
    '@context': 'https://aaep-protocol.org/context/v1',
    type: name.includes(':') ? name : `aaep:agent.${name}`,
    event_id: 'evt_1',
    session_id: 'sess_1',
    timestamp: '2026-05-24T14:22:11.342Z',
    producer: { agent_id: 'tester' },
    ...fields,
  }
}

const levels = {
  summary_terse: 'Tests.',
  summary_normal: 'Running the tests.',
  summary_detailed: 'All of them.',
}
const english = { localization_hints: { primary_language: 'en' } }
const wish = (verbosity: TailorWish['verbosity'], ...languages: string[]): TailorWish => ({
  verbosity,
  languages,
})

/** The remaining summaries, and what the frame says about them. */
function told(value: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(value).filter(([key]) => /^(?:summary_|verbosity|localization_hints)/.test(key)),
  )
}

describe('verbosity', () => {
  test.each([
    ['terse', { summary_terse: 'Tests.' }],
    ['normal', { summary_normal: 'Running the tests.' }],
    ['detailed', { summary_detailed: 'All of them.' }],
  ] as const)('%s leaves that summary alone', (verbosity, left) => {
    const value = tailorFrame(
      frame('progress.updated', { progress: { step: 1 }, ...levels, ...english }),
      wish(verbosity, 'en'),
    )
    expect(told(value)).toEqual({ ...left, verbosity, ...english })
    expect(value['progress']).toEqual({ step: 1 })
  })

  test('a summary that the dialect requires stays beside it', () => {
    const value = tailorFrame(
      frame('tool.invoked', { tool: 't', ...levels, ...english }),
      wish('terse', 'en'),
    )
    expect(told(value)).toEqual({
      summary_terse: 'Tests.',
      summary_normal: 'Running the tests.',
      verbosity: 'terse',
      ...english,
    })
  })

  test('a summary that is not there is replaced by the nearest, and the frame says which it is', () => {
    const normal = frame('state.changed', {
      from_state: 'idle',
      to_state: 'thinking',
      summary_normal: 'Thinking.',
    })
    for (const verbosity of ['terse', 'detailed'] as const)
      expect(told(tailorFrame(normal, wish(verbosity, 'en')))).toEqual({
        summary_normal: 'Thinking.',
        verbosity: 'normal',
        localization_hints: { primary_language: 'und' },
      })
  })
})

describe('language', () => {
  const both = frame('session.started', {
    summary_terse: 'Started.',
    summary_normal: 'Planning has started.',
    summary_normal_de: 'Die Planung hat begonnen.',
    summary_terse_ar: 'بدأ.',
    summary_normal_ar: 'بدأ التخطيط.',
    summary_normal_pt_BR: 'O planejamento começou.',
    localization_hints: {
      primary_language: 'en-US',
      text_direction: 'ltr',
      script: 'Latn',
      fallback_chain: ['fr', 'pt'],
      available_languages: ['en-US', 'de', 'ar', 'pt-BR'],
    },
  })
  const hints = { fallback_chain: ['fr', 'pt'], available_languages: ['en-US', 'de', 'ar', 'pt-BR'] }

  test('the language of the frame is kept with all its hints', () => {
    expect(told(tailorFrame(both, wish('normal', 'en')))).toEqual({
      summary_normal: 'Planning has started.',
      verbosity: 'normal',
      localization_hints: both['localization_hints'],
    })
  })

  test.each([
    ['de-CH', 'de', 'ltr', 'Die Planung hat begonnen.'],
    ['ar-EG', 'ar', 'rtl', 'بدأ التخطيط.'],
    ['pt', 'pt-BR', 'ltr', 'O planejamento começou.'],
    ['yo', 'pt-BR', 'ltr', 'O planejamento começou.'],
  ])('%s hears %s', (wanted, primary_language, text_direction, text) => {
    const value = tailorFrame(both, wish('normal', wanted))
    expect(told(value)).toEqual({
      summary_normal: text,
      verbosity: 'normal',
      localization_hints: { ...hints, primary_language, text_direction },
    })
    expect(aaep.validate(value)).toEqual([])
  })

  test('no summary of another language fills a gap', () => {
    expect(told(tailorFrame(both, wish('terse', 'de')))).toMatchObject({
      summary_normal: 'Die Planung hat begonnen.',
      verbosity: 'normal',
    })
    const terse = frame('session.completed', {
      summary_normal: 'Done.',
      summary_terse_de: 'Fertig.',
      ...english,
    })
    expect(told(tailorFrame(terse, wish('terse', 'de')))).toMatchObject({
      summary_terse: 'Fertig.',
      summary_normal: 'Fertig.',
      verbosity: 'terse',
    })
  })

  test('without anything near it the frame stays in its own language', () => {
    const value = tailorFrame(
      frame('session.completed', { summary_normal: 'Done.', summary_normal_de: 'Fertig.', ...english }),
      wish('normal', 'yo'),
    )
    expect(told(value)).toEqual({ summary_normal: 'Done.', verbosity: 'normal', ...english })
  })
})

test('a frame without summaries is returned itself', () => {
  const chunk = frame('output.streaming', { chunk: 'Hi', position: 0, complete: false, summary_note: 'x' })
  expect(tailorFrame(chunk, wish('terse', 'de'))).toBe(chunk)
})

const text = fc.oneof(
  fc.constantFrom('Done.', 'Fertig.', 'é'.repeat(5000), '💡'.repeat(4000), '\u0000'),
  fc.string({ unit: 'binary', minLength: 1 }),
)
const tag = fc.constantFrom('en', 'en-US', 'de', 'ar', 'zh-Hant-TW', 'yo', 'und', 'x', 'sr-Latn')
const level = fc.constantFrom<TailorWish['verbosity']>('terse', 'normal', 'detailed')
const variants = fc.dictionary(
  fc.tuple(level, tag).map(([name, language]) => `summary_${name}_${language}`),
  fc.oneof({ weight: 6, arbitrary: text }, { weight: 1, arbitrary: fc.jsonValue({ maxDepth: 1 }) }),
  { maxKeys: 6 },
)
const plain = fc.record(
  { summary_terse: text, summary_normal: text, summary_detailed: text },
  { requiredKeys: [] },
)
const localization = fc.record(
  {
    primary_language: tag,
    text_direction: fc.constantFrom('ltr', 'rtl', 'auto'),
    script: fc.constantFrom('Latn', 'Arab'),
    fallback_chain: fc.array(tag, { maxLength: 3 }),
    calendar: fc.string(),
  },
  { requiredKeys: [] },
)
const body = fc.constantFrom<readonly [string, JsonObject]>(
  ['session.started', { request_text: 'Go.' }],
  ['session.completed', { duration_ms: 3 }],
  ['session.errored', { error_category: 'unknown', urgency: 'critical' }],
  ['session.cancelled', { cancelled_by: 'user' }],
  ['state.changed', { from_state: 'idle', to_state: 'thinking' }],
  ['progress.updated', { progress: { percent: 3 } }],
  ['tool.invoked', { tool: 't' }],
  ['tool.completed', { tool: 't', status: 'success' }],
  ['output.streaming', { chunk: '', position: 0, complete: true }],
  [
    'awaiting.confirmation',
    {
      action: 'A',
      consequence: 'C',
      reply_token: 'rpl_1',
      timeout_seconds: 9,
      default_decision: 'reject',
      urgency: 'critical',
    },
  ],
  [
    'awaiting.clarification',
    { question: 'Q', reply_token: 'rpl_1', timeout_seconds: 9, urgency: 'critical' },
  ],
  ['handoff.requested', { reason: 'R', target_kind: 'human', urgency: 'critical' }],
  ['medai:patient.consulted', {}],
  ['https://aaep-protocol.org/types/agent.session.started', {}],
)

test('what is valid stays valid, for any frame and any wish', () => {
  let tailoredFrames = 0
  fc.assert(
    fc.property(
      body,
      plain,
      variants,
      fc.option(localization, { nil: undefined }),
      level,
      fc.array(tag, { maxLength: 3 }),
      ([name, fields], summaries, others, hints, verbosity, languages) => {
        const value = frame(name, {
          ...fields,
          ...(others as Readonly<Record<string, JsonValue>>), // fast-check's JSON is JSON
          ...summaries,
          ...omitUndefined({ localization_hints: hints }),
        })
        if (aaep.validate(value).length > 0) return
        const tailored = tailorFrame(value, { verbosity, languages })
        expect(aaep.validate(tailored)).toEqual([])
        const left = Object.keys(tailored).filter((key) => typeof tailored[key] === 'string')
        const isChanged = tailored !== value
        if (isChanged) tailoredFrames += 1
        expect(left.filter((key) => /^summary_[a-z]+_/.test(key) && isChanged)).toEqual([])
        const kept = left.filter((key) => /^summary_[a-z]+$/.test(key))
        if (isChanged) expect([1, 2]).toContain(kept.length)
        expect(tailorFrame(tailored, { verbosity, languages })).toEqual(tailored)
      },
    ),
    { numRuns: runs(1000) },
  )
  expect(tailoredFrames).toBeGreaterThan(0)
})
