import { createSessionState, settle, tableValues } from '@sluice/protocol'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { mutatedLines, replay, toRequest } from '../testing/replay.ts'
import { runs } from '../testing/runs.ts'
import { testFixtures } from '../testing/test-fixtures.ts'
import { mapper } from './map.ts'

const { names, read: readFixture } = testFixtures('Gemini CLI', mapper, import.meta.url)

test('its words are told as text, and in arguments and results of tools alone', () => {
  const { events, verdict } = replay(mapper, readFixture('every-line'))
  const told = events.map((event) => ({ ...event, args: null, result: null }))
  expect(JSON.stringify([told, verdict])).not.toMatch(/secret|the prompt/)
})

test.each([
  ['the one that was asked for', 's-1', undefined],
  ['another one', '7', { ok: false, message: 'session not found', endsNow: true }],
])('a run in a session that is %s', (_, id, verdict) => {
  const text = { type: 'message', role: 'assistant', content: 'Hello', delta: true }
  const lines = [{ type: 'init', session_id: 's-1', model: 'm' }, text]
  const replayed = replay(mapper, lines, { request: toRequest({ resume: { selector: 'id', id } }) })
  expect(replayed.verdict).toEqual(verdict)
  expect(replayed.events).toHaveLength(verdict === undefined ? 3 : 0)
})

test.each(names)('whatever else comes in place of %s, it is read and its texts end', (name) => {
  const lines = readFixture(name)
  fc.assert(
    fc.property(mutatedLines(lines), (mutated) => {
      const { events } = replay(mapper, mutated)
      const { state } = settle(createSessionState({ id: 'sess_1' }), [{ kind: 'session-start' }, ...events])
      expect(tableValues(state.outputs).filter(({ open }) => open)).toEqual([])
      expect(JSON.parse(JSON.stringify(events))).toEqual(events)
    }),
    { numRuns: runs(50) },
  )
})
