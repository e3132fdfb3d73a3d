import fc from 'fast-check'
import { expect, test } from 'vitest'
import { runs } from '../../testing/runs.ts'
import { joiningId, parseEventId } from './event-id.ts'

const session = 'sess_one'

test('an id with which a reader joined tells the place and how much was told', () => {
  expect(parseEventId(session, joiningId(session, 12, 3))).toEqual({ cursor: { seq: 12 }, told: 3 })
})

test('an id of another session, or of nobody, tells nothing', () => {
  const id = joiningId(session, 1, 0)
  expect(parseEventId('sess_two', id)).toBeUndefined()
  const mint = id.slice(0, -'j1q0'.length)
  for (const rest of ['', 'c', 'c-1', 'c1u', 'c1f1', 'c1u1f', 'j1', 'jq', 'c1 ', `c${'9'.repeat(16)}`, 'C1'])
    expect(parseEventId(session, mint + rest), rest).toBeUndefined()
})

test('any text is read without harm', () => {
  fc.assert(
    fc.property(fc.string(), fc.string(), (id, text) => {
      parseEventId(id, text)
      parseEventId(session, joiningId(session, 1, 0).slice(0, -4) + text)
    }),
    { numRuns: runs(200) },
  )
})
