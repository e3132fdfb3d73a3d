import { createSessionState, fold, type SessionState, type SluiceEvent } from '@sluice/protocol'
import { describe, expect, test } from 'vitest'
import { createSessionView, showState } from './session-view.ts'

const delta = (output: string, text: string, channel: 'answer' | 'reasoning' = 'answer'): SluiceEvent => ({
  kind: 'text-delta',
  output,
  take: 0,
  text,
  position: 0,
  channel,
})
const open: SluiceEvent = {
  kind: 'question-open',
  question: 'confirmation',
  token: 't',
  text: 'May I?',
  timeoutMs: 1000,
}
const after = (state: SessionState, ...events: readonly SluiceEvent[]) =>
  events.reduce((before, event) => fold(before, event), state)
const start = createSessionState({ id: 'sess_a' })
const show = (before: ReturnType<typeof createSessionView>, state: SessionState) =>
  showState(before, state, () => 5)

describe('showState()', () => {
  test('joins the answers and leaves the reasoning apart', () => {
    const state = after(
      start,
      delta('r', 'Hm.', 'reasoning'),
      delta('a', 'One'),
      delta('a', '.'),
      delta('b', 'Two.'),
    )
    const view = show(createSessionView('sess_a'), state)
    expect(view.text).toBe('One.\n\nTwo.')
    expect(view.texts.map(({ channel, text }) => [channel, text])).toEqual([
      ['reasoning', 'Hm.'],
      ['answer', 'One.'],
      ['answer', 'Two.'],
    ])
  })

  test('keeps what did not change', () => {
    const first = after(start, delta('a', 'One.'), { kind: 'text-end', output: 'a', take: 0 }, open)
    const before = show(createSessionView('sess_a'), first)
    const view = show(before, after(first, delta('b', 'Two.')))
    expect(view.texts[0]).toBe(before.texts[0])
    expect(view.questions).toBe(before.questions)
    expect(view.calls).toBe(before.calls)
    expect(show(view, after(first, delta('b', 'Two.'))).texts[1]).toEqual(view.texts[1])
  })

  test('tells when a question must be answered, and how it was', () => {
    const asked = after(start, open)
    const view = show(createSessionView('sess_a'), asked)
    expect(view.questions).toMatchObject([{ token: 't', openedAt: 5, deadline: 1005, closed: undefined }])
    const close: SluiceEvent = { kind: 'question-close', token: 't', how: 'answered', decision: 'accept' }
    expect(show(view, after(asked, close)).questions).toMatchObject([{ closed: { decision: 'accept' } }])
  })

  test('a text that begins anew is another one', () => {
    const first = after(start, delta('a', 'Wrong.'))
    const before = show(createSessionView('sess_a'), first)
    const reset: SluiceEvent = { kind: 'text-reset', output: 'a', take: 1, channel: 'answer' }
    const view = show(before, after(first, reset, { ...delta('a', 'Right!'), take: 1 } as SluiceEvent))
    expect(view.texts).toMatchObject([{ take: 1, text: 'Right!' }])
  })
})
