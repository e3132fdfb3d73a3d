import { createSessionState, settle, tableValues } from '@sluice/protocol'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { mutatedLines, replay } from '../testing/replay.ts'
import { runs } from '../testing/runs.ts'
import { testFixtures } from '../testing/test-fixtures.ts'
import { mapper } from './map.ts'

const { names, read: readFixture } = testFixtures('aider', mapper, import.meta.url)

test.each(['retry', 'refused'])('the words of a provider in %s are not told', (name) => {
  const { events, verdict } = replay(mapper, readFixture(name))
  expect(JSON.stringify([events, verdict])).not.toMatch(/details|litellm|API/)
})

test('an answer that looks like an error is told once it is whole', () => {
  const { verdict } = replay(mapper, readFixture('about-errors'))
  const text = 'The log says:\n\nlitellm.AuthenticationError: wrong key\n\nSo the key is wrong.\n'
  expect(verdict).toMatchObject({ ok: true, finalText: expect.stringContaining(text) })
})

const ownLines = fc.constantFrom(...names.flatMap(readFixture))

test('whatever lines come, they are read and all texts end', () => {
  fc.assert(
    fc.property(fc.array(fc.oneof(ownLines, fc.string({ unit: 'binary' })), { maxLength: 40 }), (lines) => {
      const { events, verdict } = replay(mapper, lines)
      const { state } = settle(createSessionState({ id: 'sess_1' }), [{ kind: 'session-start' }, ...events])
      expect(tableValues(state.outputs).filter(({ open }) => open)).toEqual([])
      expect(verdict).toBeDefined()
    }),
    { numRuns: runs(100) },
  )
})

test('values that are no lines are passed over', () => {
  fc.assert(
    fc.property(mutatedLines([{ a: 1 }, [2], null]), (values) => {
      const { events } = replay(
        mapper,
        values.filter((value) => typeof value !== 'string'),
      )
      expect(events).toEqual([])
    }),
    { numRuns: runs(20) },
  )
})
