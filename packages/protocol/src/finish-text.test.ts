import { describe, expect, test } from 'vitest'
import type { SluiceEvent } from './events.ts'
import { finishText } from './finish-text.ts'
import { createSessionState, type SessionState } from './session-state.ts'
import { settle } from './settle.ts'
import { tableGet } from './table.ts'

function after(...events: readonly SluiceEvent[]): SessionState {
  return settle(createSessionState({ id: 'sess_a' }), events).state
}

const delta = (text: string): SluiceEvent => ({
  kind: 'text-delta',
  output: 'answer',
  take: 0,
  text,
  position: 0,
  channel: 'answer',
})
const end: SluiceEvent = { kind: 'text-end', output: 'answer', take: 0 }

describe('finishText()', () => {
  test.each<[string, SessionState, string, readonly string[]]>([
    ['ends a text that it repeats', after(delta('ab')), 'ab', ['text-end']],
    ['ends a text whose last character came in half', after(delta('ab\ud83d')), 'ab\ufffd', ['text-end']],
    ['replaces another text', after(delta('ab')), 'abc', ['text-reset', 'text-delta', 'text-end']],
    [
      'replaces a text that has ended',
      after(delta('ab'), end),
      'ab',
      ['text-reset', 'text-delta', 'text-end'],
    ],
    ['brings a text that nobody streamed', after(), 'ab', ['text-delta', 'text-end']],
    ['ends an empty text that nobody streamed', after(), '', ['text-end']],
  ])('%s', (_name, session, text, kinds) => {
    const events = finishText(session, { output: 'answer', text })
    expect(events.map((event) => event.kind)).toEqual(kinds)
    const settled = settle(session, events)
    expect(tableGet(settled.state.outputs, 'answer')).toMatchObject({ open: false, text })
  })

  test('leaves to its caller what counts as the same', () => {
    const isSame = (streamed: string): boolean => streamed.startsWith('a')
    const kinds = finishText(after(delta('a long text')), { output: 'answer', text: 'a…', isSame })
    expect(kinds.map((event) => event.kind)).toEqual(['text-end'])
  })
})
