import { aaepMintOf } from '@sluice/protocol/dialects'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { runs } from '../../testing/runs.ts'
import { joiningId, parseEventId } from './event-id.ts'

const session = 'sess_one'

test('an id with which a reader joined tells the place and how much was told', () => {
  expect(parseEventId(session, joiningId(session, 12, 3))).toEqual({ cursor: { seq: 12 }, told: 3 })
})

test.each([
  ['c7', { seq: 7 }],
  ['c7u40', { seq: 7, units: 40 }],
  ['c7u0e2', { seq: 7, units: 0, empty: 2 }],
  ['c7u0f1', { seq: 7, units: 0, frames: 1, dialect: 'aaep' }],
  ['c7u3e1f2', { seq: 7, units: 3, empty: 1, frames: 2, dialect: 'aaep' }],
])('an id that ends in %s tells a place', (spelled, cursor) => {
  expect(parseEventId(session, aaepMintOf(session) + spelled)).toEqual({ cursor })
})

test('an id of another session, or of nobody, tells nothing', () => {
  const id = joiningId(session, 1, 0)
  expect(parseEventId('sess_two', id)).toBeUndefined()
  const mint = id.slice(0, -'j1q0'.length)
  for (const rest of [
    '',
    'c',
    'c-1',
    'c1u',
    'c1f1',
    'c1u1f',
    'c1u1e',
    'c1e1',
    'c1u1f1e1',
    'j1',
    'jq',
    'c1 ',
    `c${'9'.repeat(16)}`,
    'C1',
  ])
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
