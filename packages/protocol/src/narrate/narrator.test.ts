import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { aaep } from '../dialects/aaep/index.ts'
import type { AaepFrame } from '../dialects/index.ts'
import type { JsonObject } from '../json.ts'
import { confirmation, event } from '../testing/aaep-frames.ts'
import { anyEntries } from '../testing/arbitrary-events.ts'
import { runs } from '../testing/runs.ts'
import { encodeSession, entriesOf } from '../testing/sessions.ts'
import { createNarrator, type NarratorOptions } from './narrator.ts'
import { narrationPhrasesFor } from './phrases/phrases-for.ts'
import { tellPlace } from './session-place.ts'
import type { Utterance } from './utterance.ts'

const en = narrationPhrasesFor(['en'])
const start = (more: Partial<NarratorOptions> = {}) =>
  createNarrator({ phrases: en, verbosity: 'normal', ...more })
const frame = (name: string, fields: JsonObject): AaepFrame => event(name, fields) as unknown as AaepFrame // made as one
const textsOf = (utterances: readonly Utterance[]) => utterances.map(({ text }) => text)
const chunk = (text: string, complete = false) =>
  frame('output.streaming', { output_id: 'out_1', chunk: text, position: 0, complete })
const asking = (token: string) =>
  frame('awaiting.confirmation', { ...confirmation, urgency: 'critical', reply_token: token })
const thinking = frame('state.changed', { from_state: 'idle', to_state: 'thinking' })

describe('a text', () => {
  test('is told in whole sentences, however it is cut', () => {
    const text = 'Dr. Who came at 3.14 p.m. today. Was it late? No! # Not a heading. The end'
    const whole = start()
    const expected = textsOf(whole.hear(chunk(text, true)))
    expect(expected).toHaveLength(5)
    fc.assert(
      fc.property(fc.uniqueArray(fc.nat(text.length)), (cuts) => {
        const at = cuts.sort((a, b) => a - b)
        const narrator = start()
        const told = [...at, text.length].flatMap((end, index) =>
          narrator.hear(
            chunk(text.slice(at[index - 1] ?? 0, end), end === text.length && index === at.length),
          ),
        )
        expect(textsOf(told)).toEqual(expected)
      }),
      { numRuns: runs(100) },
    )
  })

  test('that never comes to its end is told when no more events come', () => {
    const narrator = start()
    expect(narrator.hear(chunk('One. Tw'))).toHaveLength(1)
    expect(textsOf(narrator.end())).toEqual(['Tw'])
    expect(narrator.end()).toEqual([])
  })
})

describe('a question', () => {
  test('is critical, and says how it is answered where that is known', () => {
    const [asked] = start({ hintAt: ({ yes }) => [`Say ${yes}.`] }).hear(asking('rpl_a'))
    expect(asked).toMatchObject({ isCritical: true, question: { token: 'rpl_a' } })
    expect(asked?.text).toContain('Its files are gone. Say accept. Without')
    const [other] = start().hear(asking('rpl_a'))
    expect(other?.text).toContain('Its files are gone. Without')
  })

  test('comes after the sentence that it interrupts, is asked once, and waits for the one before it', () => {
    const narrator = start()
    narrator.hear(chunk('Let me'))
    expect(textsOf(narrator.hear(asking('rpl_a')))).toEqual(['Let me', expect.stringMatching(/^Question/)])
    expect(narrator.hear(asking('rpl_a'))).toEqual([])
    expect(textsOf(narrator.hear(asking('rpl_b')))).toEqual([expect.stringMatching(/^Another question/)])
    expect(tellPlace(narrator.place, { questions: narrator.questions.length }, en)).toBe(
      'tester. Waiting for an answer. 2 open questions.',
    )
  })
})

test('another tone holds for what follows, and the session goes on', () => {
  const narrator = start()
  narrator.hear(chunk('- One. '))
  narrator.hear(asking('rpl_a'))
  narrator.setTone({ phrases: narrationPhrasesFor(['de']), verbosity: 'terse' })
  expect(textsOf(narrator.hear(chunk('Two.\n# Three', true)))).toEqual(['Two.', 'Heading: Three'])
  expect(textsOf(narrator.hear(chunk('# Four', true)))).toEqual(['Überschrift: Four'])
  expect(narrator.hear(thinking)).toEqual([]) // terse omits states
  expect(narrator.questions).toHaveLength(1)
})

test('the place tells what waits only where that is known', () => {
  const narrator = start()
  narrator.hear(thinking)
  expect(tellPlace(narrator.place, { questions: 0 }, en)).toBe('tester. Thinking.')
  expect(tellPlace(narrator.place, { questions: 0, lines: 0 }, en)).toMatch(/Nothing waits to be told\.$/)
  expect(tellPlace(narrator.place, { questions: 0, lines: 2 }, en)).toMatch(/2 lines behind\.$/)
})

test('any session is told in lines without control characters, and never throws', () => {
  fc.assert(
    fc.property(anyEntries, fc.constantFrom('terse', 'normal', 'detailed'), (groups, verbosity) => {
      const { state, entries } = entriesOf(groups)
      const narrator = start({ verbosity })
      const frames = encodeSession(aaep, state, entries).map(({ data }) => JSON.parse(data) as AaepFrame)
      const told = [...frames.flatMap((each) => narrator.hear(each)), ...narrator.end()]
      for (const { text } of told) expect(text).toMatch(/^\S[^\p{Cc}\p{Zl}\p{Zp}]*$/u)
      expect(narrator.place.hasEnded).toBe(true)
    }),
    { numRuns: runs(100) },
  )
})
