import { describe, expect, test } from 'vitest'
import type { QuestionOpen, SluiceEvent } from '../../events.ts'
import type { JsonObject } from '../../json.ts'
import { codes, confirmation, core, event, read, started, written } from '../../testing/aaep-frames.ts'
import { encodeSession, entriesOf } from '../../testing/sessions.ts'
import { testCarried } from '../../testing/test-carried.ts'
import { createAaepEncoder } from './encode.ts'
import { aaep } from './index.ts'
import { aaepPhrasesFor } from './phrases/languages.ts'
import { sluiceContext } from './wire/vocabulary.ts'

const asked = ['text', 'consequence', 'timeoutMs', 'allowed', 'risk', 'irreversible']

testCarried(aaep, {
  'session-end completed': ['outcome'],
  'session-end failed': ['outcome'],
  'session-end cancelled': ['outcome'],
  'session-end rejected': ['outcome'],
  'state-change': ['to'],
  progress: ['percent', 'step', 'total', 'text', 'etaMs'],
  'tool-call': ['argsSummary', 'risk', 'irreversible'],
  'tool-result': ['status', 'durationMs'],
  'question-open confirmation': asked,
  'question-open authorization': asked,
  'question-open clarification': ['text', 'timeoutMs', 'choices'],
  handoff: ['reason', 'target', 'uri', 'context'],
})

/** A core frame that carries `sluice`. */
function carrying(name: string, fields: JsonObject, sluice: JsonObject): JsonObject {
  return event(name, { '@context': [core, sluiceContext], ...fields, extensions: { sluice } })
}

const question: SluiceEvent = {
  kind: 'question-open',
  question: 'confirmation',
  token: 'rpl_1',
  text: 'Delete the folder.',
  consequence: 'Its files are gone.',
  timeoutMs: 60_000,
  default: 'reject',
}
const tea: QuestionOpen = {
  kind: 'question-open',
  question: 'confirmation',
  token: 'rpl_1',
  text: 'Make tea?',
  risk: 'low',
  default: 'accept',
  timeoutMs: 5000,
}
const final = { ...confirmation, irreversible: true, risk_level: 'high' }
const summary = { summary_normal: 'Said by the producer.' }
const clarification = {
  urgency: 'critical',
  question: 'Which one?',
  reply_token: 'rpl_1',
  timeout_seconds: 60,
}
const waiting = { from_state: 'awaiting_input', to_state: 'thinking' }
const close = { kind: 'question-close', token: 'rpl_1', how: 'answered' } as const
const failure = { urgency: 'critical', ...summary, error_category: 'permanent' }

type Row = [what: string, name: string, fields: JsonObject, carried: object, own: object]

const rows: readonly Row[] = [
  [
    'another question',
    'awaiting.confirmation',
    final,
    tea,
    { ...question, irreversible: true, risk: 'high' },
  ],
  ['a lower risk', 'awaiting.confirmation', final, { ...question, risk: 'low' }, { risk: 'high' }],
  ['less danger', 'awaiting.confirmation', final, { ...question, risk: 'high' }, { irreversible: true }],
  [
    'less danger than its reversibility',
    'awaiting.confirmation',
    { ...confirmation, reversibility: 'irreversible' },
    question,
    { irreversible: true },
  ],
  [
    'an accepting default',
    'awaiting.confirmation',
    confirmation,
    { ...question, default: 'accept' },
    { default: 'reject' },
  ],
  [
    'a shorter timeout',
    'awaiting.confirmation',
    confirmation,
    { ...question, timeoutMs: 1000 },
    { timeoutMs: 60_000 },
  ],
  [
    'other replies',
    'awaiting.confirmation',
    confirmation,
    { ...question, allowed: ['yes'] },
    { kind: 'question-open', text: 'Delete the folder.' },
  ],
  [
    'another token',
    'awaiting.confirmation',
    confirmation,
    { ...question, token: 'rpl_2' },
    { token: 'rpl_1' },
  ],
  [
    'another type of question',
    'awaiting.confirmation',
    confirmation,
    { ...question, question: 'clarification' },
    { question: 'confirmation' },
  ],
  [
    'another clarification',
    'awaiting.clarification',
    clarification,
    { ...tea, question: 'clarification' },
    { question: 'clarification', text: 'Which one?', timeoutMs: 60_000 },
  ],
  [
    'another kind of event',
    'awaiting.clarification',
    clarification,
    { kind: 'usage' },
    { text: 'Which one?' },
  ],
  [
    'a failure as success',
    'session.errored',
    failure,
    { kind: 'session-end', outcome: 'completed' },
    { outcome: 'failed', error: { category: 'permanent' } },
  ],
  [
    'a rejection that our own sentence calls an error',
    'session.errored',
    { ...failure, summary_normal: 'The agent has stopped because of an error.' },
    { kind: 'session-end', outcome: 'rejected', error: { category: 'permanent' } },
    { outcome: 'failed' },
  ],
  [
    'a success as failure',
    'session.completed',
    { ...summary, duration_ms: 5 },
    { kind: 'session-end', outcome: 'failed' },
    { outcome: 'completed', durationMs: 5 },
  ],
  [
    'another duration',
    'session.completed',
    { ...summary, duration_ms: 5 },
    { kind: 'session-end', outcome: 'completed', durationMs: 9 },
    { durationMs: 5 },
  ],
  [
    'another canceller',
    'session.cancelled',
    { ...summary, cancelled_by: 'user' },
    { kind: 'session-end', outcome: 'cancelled', by: 'timeout' },
    { by: 'user' },
  ],
  [
    'another state',
    'state.changed',
    { from_state: 'idle', to_state: 'thinking' },
    { kind: 'state-change', from: 'idle', to: 'working' },
    { from: 'idle', to: 'thinking' },
  ],
  [
    'other progress',
    'progress.updated',
    { progress: { percent: 10, description: 'Reading.' } },
    { kind: 'progress', percent: 90, text: 'Reading.' },
    { percent: 10, text: 'Reading.' },
  ],
  [
    'another tool',
    'tool.invoked',
    { ...summary, tool: 'rm', tool_call_id: 'call_1' },
    { kind: 'tool-call', call: 'call_1', tool: 'ls' },
    { call: 'call_1', tool: 'rm' },
  ],
  [
    'a harmless call',
    'tool.invoked',
    { ...summary, tool: 'rm', tool_call_id: 'call_1', risk_level: 'high', args_summary: 'all' },
    { kind: 'tool-call', call: 'call_1', tool: 'rm', risk: 'low', argsSummary: 'all' },
    { risk: 'high' },
  ],
  [
    'other work for a person',
    'handoff.requested',
    { urgency: 'critical', reason: 'The payment needs a person.', target_kind: 'human' },
    { kind: 'handoff', reason: 'Nothing to do.', target: 'human' },
    { reason: 'The payment needs a person.' },
  ],
]

describe('what a frame carries', () => {
  test.each(rows)('does not make %s of it: %s', (_what, name, fields, carried, own) => {
    for (const sluice of [{ event: carried }, { eventJson: JSON.stringify(carried) }]) {
      const session = read(started, carrying(name, fields, sluice as JsonObject))
      expect(codes(session)).toEqual([`carried_contradicts /extensions/sluice/${Object.keys(sluice).join()}`])
      const [first] = session.entries[1]?.events.filter(({ meta }) => meta?.implied !== true) ?? []
      expect(first).toMatchObject(own)
      expect(first?.meta?.ext?.['aaep']).toMatchObject({ extensions: { sluice } })
      expect(written(session)[1]?.['extensions']).toBeUndefined()
    }
  })

  test('does not change the tools or the request of a session', () => {
    const fields = { ...summary, tools_available: ['ls'], request_text: 'List it.' }
    for (const change of [{ tools: ['rm'] }, { request: 'Delete it.' }]) {
      const carried = { kind: 'session-start', tools: ['ls'], ...change }
      const session = read(carrying('session.started', fields, { event: carried }))
      expect(codes(session)).toEqual(['carried_contradicts /extensions/sluice/event'])
      expect(session.entries[0]?.events[0]).toMatchObject({ tools: ['ls'], request: 'List it.' })
    }
  })

  test('does not turn a tool that failed into one that succeeded', () => {
    const call = event('tool.invoked', { ...summary, tool: 'rm', tool_call_id: 'call_1' })
    const done = { tool: 'rm', tool_call_id: 'call_1', status: 'error', error_message: 'No.' }
    const said = { kind: 'tool-result', call: 'call_1', tool: 'rm', status: 'error', exitCode: 1 }
    const result = (carried: JsonObject) =>
      read(started, call, carrying('tool.completed', done, { event: carried }))
    expect(codes(result(said))).toEqual([])
    for (const change of [{ status: 'success' }, { durationMs: 5 }, { message: 'Yes.' }, { tool: 'ls' }]) {
      const session = result({ ...said, ...change })
      expect(codes(session)).toEqual(['carried_contradicts /extensions/sluice/event'])
      expect(session.entries[2]?.events[0]).toMatchObject({ tool: 'rm', status: 'error', message: 'No.' })
    }
  })

  test('does not answer a question otherwise than the summary says', () => {
    const ask = event('awaiting.confirmation', confirmation)
    const answered = (fields: JsonObject, decision: string) =>
      read(started, ask, carrying('state.changed', fields, { event: { ...close, decision } }))
    const rejected = aaepPhrasesFor(['de']).sentences.requestRejected.normal as string
    const inGerman = { ...waiting, summary_normal: rejected }
    expect(codes(answered(inGerman, 'reject'))).toEqual([])
    expect(codes(answered({ ...waiting, summary_normal: 'Done.' }, 'accept'))).toEqual([])
    const session = answered(inGerman, 'accept')
    expect(codes(session)).toEqual(['carried_contradicts /extensions/sluice/event'])
    expect(session.entries[2]?.events[0]).toMatchObject({ kind: 'state-change', to: 'thinking' })
  })

  test.each<[string, string, JsonObject, string[], object]>([
    ['consequence', 'awaiting.confirmation', confirmation, ['consequence'], question],
    ['timeout', 'awaiting.confirmation', confirmation, ['timeoutMs'], question],
    ['one of two', 'awaiting.confirmation', confirmation, ['default', 'timeoutMs'], question],
    ['timeout', 'awaiting.clarification', clarification, ['timeoutMs'], { timeoutMs: 60_000 }],
    ['canceller', 'session.cancelled', { ...summary, cancelled_by: 'user' }, ['by'], { by: 'user' }],
    ['error', 'session.errored', failure, ['error'], { error: { category: 'permanent' } }],
  ])('does not call a field invented that is not: %s of %s', (_what, name, fields, invented, own) => {
    const session = read(started, carrying(name, fields, { invented }))
    expect(codes(session)).toEqual(['carried_contradicts /extensions/sluice/invented'])
    expect(session.entries[1]?.events.at(-1)).toMatchObject(own)
    expect(written(session)[1]?.['extensions']).toBeUndefined()
  })

  test('does not replace summaries, ids or texts that the frame has', () => {
    const sluice = { summaries: { normal: 'Other.' }, id: 'other', spoken: 'm1' }
    const chunk = { chunk: 'Hello', position: 0, complete: false }
    const session = read(
      started,
      carrying('state.changed', { from_state: 'idle', to_state: 'thinking', ...summary }, sluice),
      carrying('output.streaming', chunk, { spoken: 'm1' }),
    )
    expect(codes(session)).toEqual([])
    const [, state, text] = session.entries
    expect(state?.events[0]?.meta).toMatchObject({ summaries: { normal: 'Said by the producer.' } })
    expect(state?.events[0]?.meta?.id).toMatch(/^evt_t/)
    expect(text?.events[0]).toMatchObject({ kind: 'text-delta', text: 'Hello' })
  })

  test('is believed in every language in which Sluice fills empty fields', () => {
    const empty: SluiceEvent = { ...question, text: '', default: 'skip', allowed: [] }
    for (const language of ['en', 'de', 'ar', 'zh']) {
      const { state, entries } = entriesOf([[{ kind: 'session-start' }], [empty]])
      const dialect = { ...aaep, encode: createAaepEncoder(aaepPhrasesFor([language])) }
      const frames = encodeSession(dialect, state, entries.slice(0, 2))
      const session = read(...frames.map(({ data }) => JSON.parse(data) as JsonObject))
      expect(codes(session)).toEqual([])
      expect(session.entries[1]?.events[0]).toMatchObject({ text: '', default: 'skip' })
    }
  })
})
