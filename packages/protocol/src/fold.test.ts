import { describe, expect, test } from 'vitest'
import type { SluiceEvent } from './events.ts'
import { fold, foldEntry, timeOf } from './fold.ts'
import { omitUndefined } from './omit-undefined.ts'
import { createSessionState, type SessionState } from './session-state.ts'
import { tableGet, tableValues } from './table.ts'
import { richSession } from './testing/rich-session.ts'
import { entriesOf } from './testing/sessions.ts'

const { entries, state } = entriesOf(richSession)

describe('fold()', () => {
  test('comes to what the session was about', () => {
    expect(state).toMatchObject({
      started: true,
      request: 'Plan two days in Lagos and book the train.',
      agent: { id: 'travel-desk' },
      status: 'thinking',
      progress: { percent: 25 },
      usage: { inputTokens: 1200 },
      end: { outcome: 'failed', error: { code: 'PAYMENT_DECLINED' } },
    })
    expect(
      tableValues(state.outputs).map(({ output, take, open, length }) => [output, take, open, length]),
    ).toEqual([
      ['notes', 0, false, 42],
      ['plan', 1, false, 58],
      ['mail', 0, false, 37],
    ])
    expect(tableGet(state.outputs, 'plan')?.parts).toHaveLength(2)
    expect(tableGet(state.calls, 'toolu/01-a')).toMatchObject({
      status: 'success',
      argsText: '{"class":2}',
      result: { trains: [{ id: 'T1', leaves: '08:00' }] },
    })
    expect(tableGet(state.questions, 'rpl_pay1')?.closed).toMatchObject({
      decision: 'accept',
      by: 'user:ada',
    })
    expect(state.data).toEqual({
      snapshot: { booked: true },
      patches: [{ op: 'replace', path: '/booked', value: false }],
    })
  })

  test('is JSON: a state that was written and read folds on to the same', () => {
    let live = createSessionState({ id: state.id })
    let stored = live
    for (const entry of entries) {
      live = foldEntry(live, entry)
      stored = foldEntry(JSON.parse(JSON.stringify(stored)) as SessionState, entry)
      expect(JSON.parse(JSON.stringify(stored))).toEqual(JSON.parse(JSON.stringify(live)))
    }
  })

  test('leaves the state before it alone', () => {
    const before = createSessionState({ id: 'sess_1' })
    const frozen = JSON.stringify(before)
    fold(before, { kind: 'session-start', request: 'x' })
    expect(JSON.stringify(before)).toBe(frozen)
  })
})

describe('foldEntry()', () => {
  test('knows whether every entry so far was a clean frame of one dialect', () => {
    const [entry] = entries
    if (entry === undefined) throw new Error('the rich session has entries')
    const copied = { ...entry, raw: '{}', clean: true, source: { dialect: 'aaep' } }
    const first = foldEntry(createSessionState({ id: 'sess_1' }), copied)
    expect(first.uniform).toBe('aaep')
    expect(foldEntry(first, { ...copied, seq: 1, clean: false }).uniform).toBeNull()
    expect(foldEntry(first, { ...copied, seq: 1, source: { dialect: 'a2a' } }).uniform).toBeNull()
  })
})

test('timeOf() takes the producer’s time, and the entry’s where there is none or it cannot be read', () => {
  const at = (time?: string): SluiceEvent =>
    omitUndefined({
      kind: 'notice',
      level: 'info',
      text: '',
      meta: time === undefined ? undefined : { at: time },
    })
  expect(timeOf(at('1970-01-01T00:00:01.000Z'), { at: 7 })).toBe(1000)
  expect(timeOf(at('never'), { at: 7 })).toBe(7)
  expect(timeOf(at(), { at: 7 })).toBe(7)
})
