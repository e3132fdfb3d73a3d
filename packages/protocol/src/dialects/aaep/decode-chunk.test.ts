import { expect, test } from 'vitest'
import type { JsonObject } from '../../json.ts'
import { readSession } from '../../testing/sessions.ts'
import { aaep } from './index.ts'

const producer = { agent_id: 'planner', agent_version: '2' }
const envelope = {
  '@context': 'https://aaep-protocol.org/context/v1',
  session_id: 'sess_1',
  timestamp: '2026-05-24T14:22:00.000Z',
  producer,
}
const start = {
  ...envelope,
  type: 'aaep:agent.session.started',
  event_id: 'evt_0',
  summary_normal: 'It begins.',
}
const chunk = {
  ...envelope,
  type: 'aaep:agent.output.streaming',
  chunk: 'Hello ',
  complete: false,
}

/** The last of three chunks, with `changes`; the first opens the text. */
function readThird(changes: JsonObject) {
  const frames = [
    start,
    { ...chunk, event_id: 'evt_1', position: 0 },
    { ...chunk, event_id: 'evt_2', position: 6 },
    { ...chunk, event_id: 'evt_3', position: 12, ...changes },
  ]
  const lines = frames.map((frame) => JSON.stringify(frame))
  return readSession(aaep, lines, { isEnded: false }).entries[3]
}

test('a further chunk of an open text is one delta', () => {
  expect(readThird({ urgency: 'normal', coalesce_hint: 'word' })).toMatchObject({
    clean: true,
    events: [{ kind: 'text-delta', output: 'main', take: 0, text: 'Hello ', position: 12, hint: 'word' }],
  })
})

test.each<[string, JsonObject, JsonObject]>([
  ['a field that nobody knows', { mood: 'calm' }, { mood: 'calm' }],
  ['a verbosity', { verbosity: 'terse' }, { verbosity: 'terse' }],
  ['a version', { aaep_version: '1.0.0' }, { aaep_version: '1.0.0' }],
])('a chunk with %s keeps it', (_name, changes, kept) => {
  const entry = readThird(changes)
  expect(entry?.clean).toBe(true)
  expect(entry?.events[0]?.meta?.ext).toEqual({ aaep: kept })
})

test.each<[string, JsonObject, readonly string[]]>([
  ['a producer with a field too many', { producer: { ...producer, via: 'relay' } }, []],
  ['localization hints with a field too many', { localization_hints: { primary_language: 'en', x: 1 } }, []],
  ['a language that is none', { localization_hints: { primary_language: '?' } }, ['wrong_pattern']],
  ['a wrong position', { position: 13 }, ['wrong_position']],
  ['an earlier time', { timestamp: '2026-05-24T14:21:59.999Z' }, ['timestamp_decreases']],
  ['a number where the others have none', { sequence_number: 3 }, ['sequence_mixed']],
  ['another session', { session_id: 'sess_2' }, []],
])('a chunk with %s is not clean', (_name, changes, codes) => {
  const entry = readThird(changes)
  expect(entry?.clean).toBe(false)
  expect(entry?.diagnostics.map((finding) => finding.code)).toEqual(codes)
})
