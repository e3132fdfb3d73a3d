import fc from 'fast-check'
import { expect, test } from 'vitest'
import { boundaryAtEnd } from '../../segment/boundary-at-end.ts'
import { encodeSession, entriesOf, readSession } from '../../testing/sessions.ts'
import { testHotPath } from '../../testing/test-hot-path.ts'
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

testHotPath(aaep)
