import { describe, expect, test } from 'vitest'
import type { Entry } from '../../entry.ts'
import type { SluiceEvent } from '../../events.ts'
import type { JsonObject, JsonValue } from '../../json.ts'
import { countCodePoints } from '../../segment/code-points.ts'
import { tableValues } from '../../table.ts'
import { codes, read, started, written, writtenAs } from '../../testing/aaep-frames.ts'
import { richSession } from '../../testing/rich-session.ts'
import { encodeSession, entriesOf, readSession } from '../../testing/sessions.ts'
import { aaep } from './index.ts'

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

  test('what other dialects said comes back, but for payloads', () => {
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

  test('ids of parts of an entry spell its units, empty pieces and frames', () => {
    const think = (text: string): SluiceEvent => ({
      kind: 'text-delta',
      output: 'thought',
      take: 0,
      position: 0,
      text,
      channel: 'reasoning',
    })
    const session = entriesOf([[{ kind: 'session-start' }], [think(''), think('Hm.'), think('Well.')]])
    const ids = encodeSession(aaep, session.state, session.entries).map(({ id }) => id?.replace(/^.*?c/, 'c'))
    expect(ids.slice(1, 5)).toEqual(['c1u0f1', 'c1u0e1', 'c1u3', 'c1'])
  })

  test('a name of our making that somebody else uses is given another', () => {
    const delta = (output: string): SluiceEvent => ({
      kind: 'text-delta',
      output,
      take: 0,
      position: 0,
      text: 'x',
      channel: 'answer',
    })
    const first = writtenAs(delta('plan')).find((frame) => frame['chunk'] === 'x')
    const taken = String(first?.['output_id'])
    const { state, entries } = entriesOf([[delta('plan')], [delta(taken)]])
    const frames = encodeSession(aaep, state, entries).map(({ data }) => data)
    const session = readSession(aaep, frames)
    expect(session.findings).toEqual([])
    expect(tableValues(session.state.outputs).map(({ output }) => output)).toEqual(['plan', taken])
  })
})
