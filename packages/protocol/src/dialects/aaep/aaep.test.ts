import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import type { Entry } from '../../entry.ts'
import type { SluiceEvent } from '../../events.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../../json.ts'
import { countCodePoints } from '../../segment/code-points.ts'
import { tableValues } from '../../table.ts'
import { richSession } from '../../testing/rich-session.ts'
import { encodeSession, entriesOf, type ReadSession, readSession } from '../../testing/sessions.ts'
import { testDialect } from '../../testing/test-dialect.ts'
import { aaep } from './index.ts'

testDialect(aaep, { fixtures: new URL('./fixtures/', import.meta.url), comparable: withoutNumber })

/** Numbers belong to a producer's own stream: only a copy repeats them. */
function withoutNumber(value: JsonValue): JsonValue {
  if (!isJsonObject(value)) return value
  const { sequence_number: _number, ...rest } = value
  return rest
}

const core = 'https://aaep-protocol.org/context/v1'
let made = 0

/** An event of the core with everything that its envelope needs. */
function event(name: string, fields: JsonObject): JsonObject {
  made += 1
  return {
    '@context': core,
    type: name.includes(':') ? name : `aaep:agent.${name}`,
    event_id: `evt_t${made}`,
    session_id: 'sess_t1',
    timestamp: '2026-05-24T14:22:11.342Z',
    producer: { agent_id: 'tester' },
    localization_hints: { primary_language: 'en' },
    ...fields,
  }
}

const started = event('session.started', { summary_normal: 'Started.' })
const confirmation = {
  urgency: 'critical',
  action: 'Delete the folder.',
  consequence: 'Its files are gone.',
  reply_token: 'rpl_1',
  timeout_seconds: 60,
  default_decision: 'reject',
}

function read(...frames: readonly JsonValue[]): ReadSession {
  return readSession(
    aaep,
    frames.map((frame) => JSON.stringify(frame)),
    false,
  )
}

function codes(session: ReadSession): readonly string[] {
  return session.findings.map(({ code, path }) => `${code} ${path}`)
}

function written(session: Pick<ReadSession, 'state' | 'entries'>): JsonObject[] {
  return encodeSession(aaep, session.state, session.entries).map(({ data }) => JSON.parse(data) as JsonObject)
}

/** The one frame that a foreign event comes out as, after the start of its session. */
function writtenAs(...events: readonly SluiceEvent[]): readonly JsonObject[] {
  const entries = entriesOf([[{ kind: 'session-start' }], events])
  return written({ ...entries, entries: entries.entries.slice(1, 2) as Entry[] })
}

describe('the specification', () => {
  const examples: readonly JsonObject[] = [
    {
      '@context': core,
      type: 'aaep:agent.output.streaming',
      event_id: 'evt_5d9c2a7f1b4e8a3c',
      session_id: 'sess_2c91a7b4d23f1e88',
      timestamp: '2026-05-24T14:22:23.140Z',
      producer: { agent_id: 'retirement-planner', agent_version: '1.4.2' },
      urgency: 'normal',
      chunk: 'Your plan should target a contribution of $1,200.',
      position: 0,
      complete: false,
    },
    {
      '@context': [core, 'https://example.org/medai/context/v1'],
      aaep_version: '1.0.0',
      type: 'aaep:agent.tool.invoked',
      event_id: 'evt_8a3f5b22c91e4d7a3f5b22c91e4d7a3f',
      session_id: 'sess_2c91a7b4d23f1e88a7b4d23f1e88a7b4',
      sequence_number: 7,
      timestamp: '2026-05-24T15:22:11.342+01:00',
      producer: { agent_id: 'clinical-assistant', manifest_uri: 'https://hospital.example/manifest.json' },
      tool: 'records.read',
      summary_normal: 'Reading.',
      extensions: { medai: { patient_data_accessed: true } },
    },
  ]

  test.each(examples)('accepts what its examples show: $type', (example) => {
    expect(aaep.validate(example)).toEqual([])
    expect(aaep.recognizes(example)).toBe(true)
  })

  test('wants a summary of a session that starts, whatever the example of the envelope shows', () => {
    const { summary_normal: _summary, ...bare } = started
    expect(codes(read(bare))).toEqual(['missing_field /summary_normal'])
  })

  const messages: readonly JsonObject[] = [
    {
      type: 'subscription.request',
      aaep_version: '1.0.0',
      subscriber_id: 'reader-1',
      capabilities: { max_events_per_second: 2, languages: ['en'], medai: { level: 1 } },
    },
    {
      type: 'subscription.accepted',
      subscription_id: 'sub_1',
      aaep_version: '1.0.0',
      producer: { agent_id: 'sluice' },
      honored_capabilities: { max_events_per_second: 2 },
    },
    { type: 'subscription.rejected', reason_code: 'rate_limit', reason_message: 'Too many.' },
    { type: 'subscription.renegotiate', subscription_id: 'sub_1', capabilities: { pace_wpm: 180 } },
    { type: 'subscription.close', subscription_id: 'sub_1', reason_code: 'subscriber_shutdown' },
    {
      type: 'confirmation.reply',
      reply_token: 'rpl_1',
      decision: 'accept',
      subscription_id: 'sub_1',
      timestamp: '2026-05-24T14:22:30Z',
    },
    {
      type: 'clarification.reply',
      reply_token: 'rpl_1',
      response: true,
      subscription_id: 'sub_1',
      timestamp: '2026-05-24T14:22:30Z',
    },
  ]

  test.each(messages)('knows $type, and closes it', (message) => {
    expect(aaep.validate(message)).toEqual([])
    expect(aaep.recognizes(message)).toBe(true)
    expect(aaep.validate({ ...message, more: 1 }).map(({ code }) => code)).toContain('unexpected_field')
  })

  test('publishes a schema for every message', () => {
    const names = Object.keys(aaep.schemas)
    expect(names).toHaveLength(1 + 12 + 7 + 1)
    for (const [name, schema] of Object.entries(aaep.schemas))
      expect(schema).toMatchObject({
        $schema: 'https://json-schema.org/draft/2020-12/schema',
        $id: `urn:sluice:schema:aaep:${name}`,
      })
  })

  test('keeps a handshake in the stream as something unknown', () => {
    const session = read(started, ...messages.slice(0, 5))
    expect(session.findings).toEqual([])
    expect(session.entries.slice(1).map(({ events }) => events[0])).toMatchObject(
      messages.slice(0, 5).map((data) => ({ kind: 'unknown', type: data['type'], data })),
    )
    for (const frame of written(session)) expect(String(frame['type'])).not.toMatch(/^subscription/)
  })
})

describe('decode', () => {
  test('takes a critical event without urgency, and says it when it writes', () => {
    const { urgency: _urgency, ...quiet } = confirmation
    const session = read(started, event('awaiting.confirmation', quiet))
    expect(session.findings).toEqual([])
    expect(session.entries[1]?.clean).toBe(false)
    expect(written(session)[1]).toMatchObject({ urgency: 'critical', reply_token: 'rpl_1' })
  })

  test.each(['https://aaep-protocol.org/types/', 'https://aaep-protocol.org/vocab/v1#'])(
    'reads the full type under %s as the compact one',
    (base) => {
      const session = read(
        started,
        event(`${base}agent.state.changed`, { from_state: 'idle', to_state: 'thinking' }),
      )
      expect(session.findings).toEqual([])
      expect(session.state.status).toBe('thinking')
      expect(written(session)[1]).toMatchObject({ type: 'aaep:agent.state.changed' })
    },
  )

  test.each([
    ['irreversible, no risk', { irreversible: true }, true],
    ['irreversible, high', { irreversible: true, risk_level: 'high' }, true],
    ['irreversible, medium', { irreversible: true, risk_level: 'medium' }, true],
    ['irreversible, low', { irreversible: true, risk_level: 'low' }, false],
    ['reversibility, no risk', { reversibility: 'irreversible' }, true],
    ['reversibility, low', { reversibility: 'irreversible', risk_level: 'low' }, false],
    ['an unknown risk', { irreversible: true, risk_level: 'extreme' }, true],
    ['reversible', { reversibility: 'reversible', risk_level: 'high' }, false],
  ])('refuses a default of accept by the strictest reading: %s', (_name, fields, isRefused) => {
    const session = read(
      started,
      event('awaiting.confirmation', { ...confirmation, ...fields, default_decision: 'accept' }),
    )
    expect(codes(session)).toEqual(isRefused ? ['unsafe_default /default_decision'] : [])
    expect(session.entries).toHaveLength(isRefused ? 1 : 2)
  })

  test('publishes the rule of safe defaults with the schema', () => {
    const unsafe = event('awaiting.confirmation', {
      ...confirmation,
      irreversible: true,
      risk_level: 'medium',
      default_decision: 'accept',
    })
    expect(aaep.validate(unsafe)).not.toEqual([])
    expect(aaep.validate({ ...unsafe, risk_level: 'low' })).toEqual([])
    expect(aaep.validate({ ...unsafe, default_decision: 'reject' })).toEqual([])
  })

  test('a carried question cannot bring an unsafe default back', () => {
    const carried = {
      kind: 'question-open',
      question: 'confirmation',
      token: 'rpl_1',
      text: 'Delete?',
      default: 'accept',
      irreversible: true,
    }
    const session = read(
      started,
      event('awaiting.confirmation', {
        ...confirmation,
        '@context': [core, 'urn:sluice:context:v1'],
        extensions: { sluice: { event: carried } },
      }),
    )
    expect(tableValues(session.state.questions)[0]?.opened.default).toBe('reject')
  })

  test('maps values that nobody knows yet to the nearest, without a finding', () => {
    const session = read(
      started,
      event('tool.invoked', {
        tool: 'x',
        summary_normal: 'X.',
        risk_level: 'extreme',
        tool_call_id: 'call_1',
      }),
      event('tool.completed', { tool: 'x', status: 'denied', tool_call_id: 'call_1' }),
      event('session.errored', { summary_normal: 'E.', urgency: 'critical', error_category: 'network' }),
    )
    expect(session.findings).toEqual([])
    expect(session.entries.slice(1).flatMap(({ events }) => events)).toMatchObject([
      { kind: 'tool-call', risk: 'high', meta: { ext: { aaep: { risk_level: 'extreme' } } } },
      { kind: 'tool-result', status: 'error' },
      { kind: 'session-end', error: { category: 'unknown' } },
    ])
    for (const frame of written(session)) expect(aaep.validate(frame)).toEqual([])
  })

  test('counts positions in code points and says which one it expected', () => {
    const chunk = (text: string, position: number) =>
      event('output.streaming', { chunk: text, position, complete: false })
    expect(codes(read(started, chunk('👍 ok. ', 0), chunk('Next.', 6)))).toEqual([])
    const session = read(started, chunk('👍 ok. ', 0), chunk('Next.', 7))
    expect(session.findings[0]?.message).toContain('expected 6')
  })

  test('a reply closes its question, with or without a subscription', () => {
    const reply = {
      type: 'confirmation.reply',
      reply_token: 'rpl_1',
      decision: 'accept',
      timestamp: '2026-05-24T14:22:30Z',
      decided_by: 'user:ada',
    }
    const session = read(started, event('awaiting.confirmation', { ...confirmation }), reply)
    expect(session.findings).toEqual([])
    expect(session.entries[2]).toMatchObject({
      direction: 'input',
      events: [{ kind: 'question-close', how: 'answered', decision: 'accept', by: 'user:ada' }],
    })
    expect(written(session)[2]).toMatchObject({
      type: 'aaep:agent.state.changed',
      from_state: 'awaiting_input',
      to_state: 'thinking',
    })
  })

  test('a changed action is a refusal', () => {
    const reply = {
      type: 'confirmation.reply',
      reply_token: 'rpl_1',
      decision: 'accept',
      modified_action: { folder: 'other' },
      timestamp: '2026-05-24T14:22:30Z',
    }
    const session = read(started, event('awaiting.confirmation', { ...confirmation }), reply)
    expect(tableValues(session.state.questions)[0]?.closed?.decision).toBe('reject')
  })

  test('an irreversible tool needs a confirmation that was accepted', () => {
    const ask = event('awaiting.confirmation', { ...confirmation })
    const act = event('tool.invoked', { tool: 'rm', summary_normal: 'Deleting.', irreversible: true })
    const answer = (decision: string) => ({
      type: 'confirmation.reply',
      reply_token: 'rpl_1',
      decision,
      timestamp: '2026-05-24T14:22:30Z',
    })
    const released = event('state.changed', { from_state: 'awaiting_input', to_state: 'calling_tool' })
    expect(codes(read(started, act))).toEqual(['unconfirmed /irreversible'])
    expect(codes(read(started, ask, act))).toEqual(['unconfirmed /irreversible'])
    expect(codes(read(started, ask, answer('reject'), act))).toEqual(['unconfirmed /irreversible'])
    expect(codes(read(started, ask, answer('accept'), act))).toEqual([])
    expect(codes(read(started, ask, released, act))).toEqual([])
  })

  test('pairs tools without an id by their name, the oldest first', () => {
    const invoke = event('tool.invoked', { tool: 'x', summary_normal: 'X.' })
    const done = (status: string) => event('tool.completed', { tool: 'x', status })
    const session = read(started, invoke, { ...invoke, event_id: 'evt_x2' }, done('success'), done('timeout'))
    expect(session.findings).toEqual([])
    expect(tableValues(session.state.calls).map(({ status }) => status)).toEqual(['success', 'timeout'])
  })

  test('numbering may stop but not come back', () => {
    const numbered = (n?: number) =>
      event('progress.updated', {
        progress: { percent: 1 },
        ...(n === undefined ? {} : { sequence_number: n }),
      })
    const first = { ...started, sequence_number: 0 }
    expect(codes(read(first, numbered(1), numbered(), numbered()))).toEqual([])
    expect(codes(read(first, numbered(1), numbered(), numbered(2)))).toEqual([
      'sequence_mixed /sequence_number',
    ])
    expect(codes(read(first, numbered(2)))).toEqual(['sequence_gap /sequence_number'])
  })
})

describe('encode', () => {
  test('splits a long text between grapheme clusters and completes it once', () => {
    const text = '👨‍👩‍👧‍👦'.repeat(5000)
    const frames = writtenAs(
      { kind: 'text-delta', output: 'main', take: 0, position: 0, text, channel: 'answer' },
      { kind: 'text-end', output: 'main', take: 0 },
    )
    expect(frames.map(({ chunk }) => chunk).join('')).toBe(text)
    expect(frames.map(({ complete }) => complete)).toEqual([false, false, true])
    let position = 0
    for (const frame of frames) {
      expect(frame['position']).toBe(position)
      expect(countCodePoints(String(frame['chunk'])) % 7).toBe(0)
      position += countCodePoints(String(frame['chunk']))
    }
  })

  test('arguments and results have no place, in no field', () => {
    const secret = 'SENTINEL'
    const frames = writtenAs(
      { kind: 'tool-call', call: 'c/1', tool: 't/1', args: { secret }, argsSummary: 'x'.repeat(20_000) },
      { kind: 'tool-call-delta', call: 'c/1', argsText: secret },
      {
        kind: 'tool-result',
        call: 'c/1',
        tool: 't/1',
        status: 'success',
        result: secret,
        message: secret,
        exitCode: 1,
      },
    )
    expect(frames).toHaveLength(2)
    expect(JSON.stringify(frames)).not.toContain(secret)
  })

  test('the request stands in request_text alone', () => {
    const entries = entriesOf([[{ kind: 'session-start', request: 'SENTINEL', tools: [''] }]])
    const [{ request_text, ...rest } = {}] = written(entries)
    expect(request_text).toBe('SENTINEL')
    expect(JSON.stringify(rest)).not.toContain('SENTINEL')
  })

  test('a question without timeout and default waits a day and is rejected', () => {
    const question: SluiceEvent = {
      kind: 'question-open',
      question: 'authorization',
      token: 'a b',
      text: 'Go on?',
    }
    const [frame] = writtenAs(question)
    expect(frame).toMatchObject({
      type: 'aaep:agent.awaiting.confirmation',
      timeout_seconds: 86_400,
      default_decision: 'reject',
      urgency: 'critical',
    })
    const back = read(started, { ...frame, session_id: 'sess_t1', timestamp: '2026-05-24T14:22:12Z' })
    const { meta: _meta, ...same } = tableValues(back.state.questions)[0]?.opened ?? question
    expect(same).toEqual(question)
  })

  test('thinking aloud is a state and an extension, never output', () => {
    const frames = writtenAs({
      kind: 'text-delta',
      output: 'r',
      take: 0,
      position: 0,
      text: 'Hm.',
      channel: 'reasoning',
    })
    expect(frames.map(({ type }) => type)).toEqual(['aaep:agent.state.changed', 'sluice:text-delta'])
    expect(frames[0]).toMatchObject({ from_state: 'idle', to_state: 'thinking' })
  })

  test('says the text of a message of the agent, which comes back as that message alone', () => {
    const message: SluiceEvent = {
      kind: 'message',
      id: 'm1',
      role: 'agent',
      parts: [{ type: 'text', text: 'Hello.' }],
    }
    const session = entriesOf([[{ kind: 'session-start' }], [message]])
    const frames = written(session)
    expect(frames.slice(1, 3)).toMatchObject([
      { type: 'aaep:agent.output.streaming', chunk: 'Hello.', complete: true },
      { type: 'sluice:message' },
    ])
    const back = read(...frames)
    expect(back.findings).toEqual([])
    expect(back.state.outputs.size).toBe(0)
    expect(back.state.messages).toMatchObject([message])
  })

  test('an event that nests too deep for another frame travels as text', () => {
    let data: JsonValue = 1
    for (let depth = 0; depth < 62; depth++) data = [data]
    const [frame] = writtenAs({ kind: 'unknown', type: 'deep', data })
    const back = read(started, { ...frame, session_id: 'sess_t1', timestamp: '2026-05-24T14:22:12Z' })
    expect(back.findings).toEqual([])
    expect(back.entries[1]?.events[0]).toMatchObject({ kind: 'unknown', type: 'deep', data })
  })

  test('what other contracts said comes back, but for payloads', () => {
    const there = entriesOf(richSession)
    const back = read(...written(there))
    expect(back.findings).toEqual([])
    const plain = (entries: readonly Entry[]) =>
      entries
        .flatMap(({ events }) => events)
        .filter(({ kind }) => kind !== 'tool-call-delta')
        .map(({ meta: _meta, ...rest }) => {
          const { args: _args, result: _result, hint: _hint, ...kept } = rest as Record<string, unknown>
          return kept
        })
    expect(plain(back.entries)).toEqual(plain(there.entries))
  })

  test('fields that were kept never break a frame, whoever kept them', () => {
    const hostile: JsonObject = {
      '@context': 7,
      '@id': 'x',
      aaep_version: 'one',
      aaep_secret: 1,
      type: 'subscription.request',
      event_id: 'evt_',
      session_id: 'sess_other',
      sequence_number: 3,
      timestamp: 'now',
      producer: null,
      urgency: 'loud',
      extensions: { medai: 1, sluice: { output: 'x', take: 9 } },
      chunk: 1,
      position: 5,
      output_id: 'out_zzz',
      tool_call_id: 'call_zzz',
      irreversible: true,
      default_decision: 'accept',
      accepted_response_kinds: ['multiple_choice'],
      free: 'kept',
    }
    const { entries, state } = entriesOf(
      richSession.map((events) =>
        events.map((event) => ({ ...event, meta: { ...event.meta, ext: { aaep: hostile } } })),
      ),
    )
    const native = entries.map((entry) => ({ ...entry, source: { dialect: 'aaep' } }))
    const frames = written({ state, entries: native })
    for (const frame of frames) {
      expect(aaep.validate(frame)).toEqual([])
      expect(frame['free'] ?? 'kept').toBe('kept')
    }
    expect(codes(read(...frames))).toEqual([])
  })

  test('states of decoder and encoder are plain JSON', () => {
    const { entries, state } = entriesOf(richSession)
    let view = aaep.encode.enter({ ...state, seq: -1 }, { seq: -1 }).state
    let sequence = aaep.decode.initial()
    for (const entry of entries) {
      const encoded = aaep.encode.step(view, entry)
      view = encoded.state
      expect(JSON.parse(JSON.stringify(view))).toEqual(view)
      for (const { data } of encoded.frames) {
        const frame = { text: data, value: JSON.parse(data) as JsonValue }
        sequence = aaep.decode.step(sequence, frame, state).state
        expect(JSON.parse(JSON.stringify(sequence))).toEqual(sequence)
      }
    }
  })

  test('ids that it mints spell session and cursor, and are the same every time', () => {
    const session = entriesOf(
      richSession.map((events) => events.map(({ meta: _meta, ...event }) => event as SluiceEvent)),
    )
    const ids = encodeSession(aaep, session.state, session.entries).map(({ id }) => id)
    expect(new Set(ids).size).toBe(ids.length)
    expect(ids).toEqual(encodeSession(aaep, session.state, session.entries).map(({ id }) => id))
    expect(ids[0]).toMatch(/^evt_[0-9a-f]{16}c0$/)
  })
})

test('the recording in examples/ has no findings and comes out as it is', () => {
  const url = new URL('../../../../../examples/recording.aaep.ndjson', import.meta.url)
  const lines = readFileSync(url, 'utf8').trim().split('\n')
  const session = readSession(aaep, lines)
  expect(session.findings).toEqual([])
  expect(encodeSession(aaep, session.state, session.entries).map(({ data }) => data)).toEqual(lines)
})
