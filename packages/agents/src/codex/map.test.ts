import { createSessionState, settle, tableValues } from '@sluice/protocol'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { mutatedLines, replay, toRequest } from '../testing/replay.ts'
import { runs } from '../testing/runs.ts'
import { testFixtures } from '../testing/test-fixtures.ts'
import { mapper } from './map.ts'

const { names, read: readFixture } = testFixtures('codex', mapper, import.meta.url)

test('words of codex are told as text, and in arguments and results of tools alone', () => {
  const { events, verdict } = replay(mapper, readFixture('every-item'))
  const told = events.map((event) => ({ ...event, args: null, result: null }))
  expect(JSON.stringify([told, verdict])).not.toMatch(/details|no such issue|Look at b\.ts|rm -rf/)
})

const missing = { ok: false, endsNow: true }
const begunAt = Date.parse('2026-11-17T00:00:00.000Z')
const newer = '01a8e6ee-9500-7932-99cf-586230b99d45'
const older = '0199a213-81c0-7800-8aa1-bbab2a035a53'
const byId = (id: string) => ({ resume: { selector: 'id', id } as const })
const last = { resume: { selector: 'last' } as const }

test.each([
  ['the one that was asked for', byId(older), older, undefined],
  ['the same in other letters', byId(older.toUpperCase()), older, undefined],
  ['another one', byId('my session'), older, { ...missing, message: 'session not found' }],
  ['the last one', last, older, undefined],
  ['one that was begun for it', last, newer, { ...missing, message: 'no session found' }],
  ['one whose age cannot be told', last, 'thread-1', undefined],
  ['a new one, and none was asked for', {}, newer, undefined],
])('a run in a session that is %s', (_, selection, thread, verdict) => {
  const lines = [{ type: 'thread.started', thread_id: thread }]
  const replayed = replay(mapper, lines, { request: toRequest(selection), startedAt: begunAt })
  expect(replayed.verdict).toEqual(verdict)
  expect(replayed.events.map(({ meta }) => meta?.agent?.session)).toEqual(
    verdict === undefined ? [thread] : [],
  )
})

test('a session is told once, with the model that was asked for', () => {
  const lines = [older, newer].map((id) => ({ type: 'thread.started', thread_id: id }))
  const { events } = replay(mapper, lines, { request: toRequest({ model: 'gpt-5' }) })
  expect(events.map(({ meta }) => meta?.agent)).toEqual([{ session: older, model: 'gpt-5' }])
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
