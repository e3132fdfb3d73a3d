import { createSessionState, settle, tableValues } from '@sluice/protocol'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { mutatedLines, replay, toRequest } from '../testing/replay.ts'
import { runs } from '../testing/runs.ts'
import { testFixtures } from '../testing/test-fixtures.ts'
import { mapper } from './map.ts'

const { names, read: readFixture } = testFixtures('OpenCode', mapper, import.meta.url)

test('its words are told as text, and in arguments and results of tools alone', () => {
  const { events, verdict } = replay(mapper, readFixture('every-line'))
  const told = events.map((event) => ({ ...event, args: null, result: null }))
  expect(JSON.stringify([told, verdict])).not.toMatch(/secret|the prompt/)
})

const begunAt = Date.parse('2026-11-17T00:00:00.000Z')
const idAt = (time: number): string => {
  const bits = BigInt.asUintN(48, ~(BigInt(time) * 4096n + 1n))
  return `ses_${bits.toString(16).padStart(12, '0')}AbCdEfGhIjKlMn`
}
const day = 86_400_000
const byId = (id: string) => ({ resume: { selector: 'id', id } as const })
const last = { resume: { selector: 'last' } as const }
const missing = { ok: false, endsNow: true }

test.each([
  ['the one that was asked for', byId('ses_1'), 'ses_1', undefined],
  ['another one', byId('ses_1'), 'ses_2', { ...missing, message: 'session not found' }],
  ['the last one', last, idAt(begunAt - 1), undefined],
  ['an old one', last, idAt(begunAt - 300 * day), undefined],
  ['one that was begun for it', last, idAt(begunAt), { ...missing, message: 'no session found' }],
  ['one that was begun late', last, idAt(begunAt + 9000), { ...missing, message: 'no session found' }],
  ['one whose age cannot be told', last, 'session-1', undefined],
  ['a new one, and none was asked for', {}, idAt(begunAt + 1), undefined],
  ['a branch', { fork: { selector: 'id', id: 'ses_1' } as const }, idAt(begunAt + 1), undefined],
])('a run in a session that is %s', (_, selection, sessionID, verdict) => {
  const text = { type: 'text', sessionID, part: { id: 'prt_1', text: 'Hello' } }
  const replayed = replay(mapper, [{ type: 'step_start', sessionID }, text], {
    request: toRequest(selection),
    startedAt: begunAt,
  })
  expect(replayed.verdict).toEqual(verdict)
  expect(replayed.events.map(({ kind, meta }) => meta?.agent?.session ?? kind)).toEqual(
    verdict === undefined ? [sessionID, 'text-delta', 'text-end'] : [],
  )
})

test('a last word is taken back by a step that follows, and holds where none does', () => {
  const { steps, verdict } = replay(mapper, readFixture('summed-up'))
  expect(steps.map(({ tentative }) => tentative?.ok)).toEqual([
    ...[undefined, undefined, undefined, undefined],
    ...[undefined, undefined, true],
    ...[undefined, undefined, true, undefined],
  ])
  expect(verdict).toEqual({ ok: true, finalText: 'The end.', exitCode: 1 })
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
