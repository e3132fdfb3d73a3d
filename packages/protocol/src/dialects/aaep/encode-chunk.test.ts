import fc from 'fast-check'
import { expect, test } from 'vitest'
import { startCursor } from '../../cursor.ts'
import type { SluiceEvent } from '../../events.ts'
import { boundaryAtEnd } from '../../segment/boundary-at-end.ts'
import { createSessionState } from '../../session-state.ts'
import { anyEvent } from '../../testing/arbitrary-events.ts'
import { runs } from '../../testing/runs.ts'
import { encodeSession, entriesOf, readSession } from '../../testing/sessions.ts'
import { boundaryAfter } from './encode-text.ts'
import { aaep } from './index.ts'
import { extended, opened } from './view.ts'

const piece = fc.oneof(
  fc.constantFrom(
    'word',
    'word ',
    'Dr. ',
    'end. ',
    '1,',
    ' ',
    '\n',
    '\n\n',
    '。',
    '「',
    '🚲',
    '- ',
    'x'.repeat(300),
  ),
  fc.string({ unit: 'grapheme', maxLength: 4 }),
)

test('boundaryAfter() finds what the last 256 units of the text prove', () => {
  fc.assert(
    fc.property(fc.array(piece, { minLength: 1, maxLength: 40 }), (pieces) => {
      let open = opened('main', 0, 'answer')
      let text = ''
      for (const part of pieces) {
        text += part
        expect(boundaryAfter(open, part, undefined)).toBe(boundaryAtEnd(text.slice(-256)))
        open = extended(open, part)
      }
    }),
  )
})

test('a text in one frame lets the next state begin at writing_output, from the start and from any entry', () => {
  const { entries, state } = entriesOf([
    [
      { kind: 'text-delta', output: 'main', take: 0, position: 0, text: 'Done.', channel: 'answer' },
      { kind: 'text-end', output: 'main', take: 0 },
    ],
    [{ kind: 'state-change', from: 'writing_output', to: 'idle' }],
  ])
  const frames = encodeSession(aaep, state, entries).map((frame) => frame.data)
  expect(frames[2]).toContain('"from_state":"writing_output","to_state":"idle"}')
  expect(readSession(aaep, frames).findings).toEqual([])
})

test('a chunk that is put together as text is the frame that would be stringified', () => {
  let compared = 0
  fc.assert(
    fc.property(fc.array(anyEvent, { minLength: 1, maxLength: 24 }), (events) => {
      const { entries, state: session } = entriesOf(events.map((event) => [withoutId(event)]))
      let { state } = aaep.encode.enter(createSessionState({ id: session.id }), startCursor)
      for (const entry of entries) {
        const { state: next, frames } = aaep.encode.step(state, entry)
        // What is left of an entry goes the long way.
        const rest = aaep.encode.step(state, entry, 1).frames
        if (frames.length === 1 && entry.events[0]?.kind === 'text-delta') {
          expect(rest.map((frame) => frame.data)).toEqual(frames.map((frame) => frame.data))
          compared++
        }
        state = next
      }
    }),
    { numRuns: runs(200) },
  )
  expect(compared).toBeGreaterThan(100)
})

function withoutId(event: SluiceEvent): SluiceEvent {
  const { id: _id, ...meta } = event.meta ?? {}
  return { ...event, meta }
}
