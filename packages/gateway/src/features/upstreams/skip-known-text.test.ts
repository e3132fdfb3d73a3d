import {
  admitMade,
  createIntake,
  createSessionState,
  type JsonObject,
  type SluiceEvent,
} from '@sluice/protocol'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { runs } from '../../testing/runs.ts'
import { skipKnownText } from './skip-known-text.ts'

/** A session with this text in an output. */
function stateWith(text: string, { isOpen = true, output = 'main' } = {}) {
  const delta: SluiceEvent = { kind: 'text-delta', output, take: 0, text, position: 0, channel: 'answer' }
  const end: SluiceEvent = { kind: 'text-end', output, take: 0 }
  const made = { at: 0, direction: 'event', source: { dialect: 'sluice' } } as const
  const admission = admitMade(
    createIntake(createSessionState({ id: 'sess_a' })),
    isOpen ? [delta] : [delta, end],
    made,
  )
  if (!admission.ok) throw new Error('the text was refused')
  return admission.intake.session
}

const chunkOf = (chunk: string, position: number, more: JsonObject = {}): JsonObject => ({
  chunk,
  position,
  complete: false,
  ...more,
})

describe('skipKnownText()', () => {
  test('leaves a chunk alone that goes on, and one of another output', () => {
    const next = chunkOf(' World.', 6)
    expect(skipKnownText(stateWith('Hello.'), next)).toBe(next)
    const other = chunkOf('Hello.', 0, { output_id: 'out_b' })
    expect(skipKnownText(stateWith('Hello.'), other)).toBe(other)
  })

  test('leaves nothing of a chunk that is known, unless it is the end of an open text', () => {
    expect(skipKnownText(stateWith('Hello.'), chunkOf('Hel', 0))).toBeUndefined()
    const end = chunkOf('Hello.', 0, { complete: true })
    expect(skipKnownText(stateWith('Hello.'), end)).toEqual({ chunk: '', position: 6, complete: true })
    expect(skipKnownText(stateWith('Hello.', { isOpen: false }), end)).toBeUndefined()
  })

  test('gives the whole text, wherever it was cut and however it is joined again', () => {
    const texts = fc
      .string({ unit: 'grapheme', minLength: 1, maxLength: 40 })
      .filter((text) => text.isWellFormed())
    fc.assert(
      fc.property(texts, fc.nat(), fc.nat(), (text, known, from) => {
        const points = [...text]
        const have = 1 + (known % points.length)
        const position = from % (have + 1)
        const before = points.slice(0, have).join('')
        const rest = skipKnownText(stateWith(before), chunkOf(points.slice(position).join(''), position))
        return before + (rest?.['chunk'] ?? '') === text
      }),
      { numRuns: runs(200) },
    )
  })
})
