import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Entry } from '../../entry.ts'
import type { SluiceEvent } from '../../events.ts'
import type { JsonValue } from '../../json.ts'
import { createChecker } from '../../schemas/check.ts'
import { tableValues } from '../../table.ts'
import { anyEntries } from '../../testing/arbitrary-events.ts'
import { runs } from '../../testing/runs.ts'
import { encodeSession, entriesOf, readSession } from '../../testing/sessions.ts'
import { testDialect } from '../../testing/test-dialect.ts'
import { streamEvent } from './index.ts'

testDialect(streamEvent, { fixtures: new URL('./fixtures/', import.meta.url) })

interface WireFrame {
  readonly type: string
  readonly data: JsonValue
}

const read = (...frames: readonly object[]) =>
  readSession(
    streamEvent,
    frames.map((frame) => JSON.stringify(frame)),
    { isEnded: false },
  )

const eventsOf = (entries: readonly Entry[]): readonly SluiceEvent[] =>
  entries.flatMap((entry) => entry.events).filter((event) => event.meta?.implied !== true)

const kindsOf = (...frames: readonly object[]): readonly string[] =>
  eventsOf(read(...frames).entries).map((event) => event.kind)

/** The frames for events of another dialect, without the one that ends the session. */
function written(...events: readonly SluiceEvent[]): readonly WireFrame[] {
  const { state, entries } = entriesOf(events.map((event) => [event]))
  return encodeSession(streamEvent, state, entries.slice(0, events.length)).map(
    (frame) => JSON.parse(frame.data) as WireFrame,
  )
}

const chunk = (text: string) => ({ type: 'answer_chunk', data: { text } })
const final = (text: string) => ({ type: 'final_answer', data: { text } })

describe('what comes in', () => {
  test.each<[string, JsonValue, Partial<SluiceEvent>]>([
    ['thinking', 'hm', { kind: 'text-delta', output: 'reasoning', channel: 'reasoning', text: 'hm' }],
    ['thinking', { message: 'hm' }, { kind: 'text-delta', channel: 'reasoning', text: 'hm' }],
    ['understanding', { intent: 'x', entities: 2 }, { kind: 'state-change', to: 'thinking' }],
    ['text', 'No tools needed.', { kind: 'text-delta', output: 'answer', text: 'No tools needed.' }],
    ['text', { content: 'c' }, { kind: 'text-delta', output: 'answer', text: 'c' }],
    ['tool_call', { tool_name: 't', tool_args: { a: 1 } }, { kind: 'tool-call', tool: 't', args: { a: 1 } }],
    ['tool_call', { tool: 't', args: { a: 1 } }, { kind: 'tool-call', tool: 't', args: { a: 1 } }],
    ['sources', ['https://a.example'], { kind: 'sources', items: ['https://a.example'] }],
    ['log', { level: 'warn', message: 'm' }, { kind: 'notice', level: 'warning', text: 'm' }],
    ['error', { task: 1, error: 'e' }, { kind: 'notice', level: 'error', text: 'e' }],
    ['error', { message: 'e' }, { kind: 'notice', level: 'error', text: 'e' }],
    ['done', null, { kind: 'session-end', outcome: 'completed' }],
    ['heartbeat', 3, { kind: 'unknown', type: 'heartbeat', data: 3 }],
    ['tool_call', ['a'], { kind: 'unknown', type: 'tool_call', data: ['a'] }],
  ])('%s %j', (type, data, event) => {
    const { entries, findings } = read({ type, data })
    expect(findings).toEqual([])
    expect(entries[0]?.clean).toBe(true)
    expect(eventsOf(entries)).toMatchObject([event])
  })

  test.each<[string, JsonValue, Partial<SluiceEvent>]>([
    ['a result as documented', { tool_name: 't', result: [1] }, { status: 'success', result: [1] }],
    ['an output', { tool: 't', args: {}, output: 7 }, { status: 'success', result: 7 }],
    ['an error', { tool: 't', error: 'e' }, { status: 'error', message: 'e' }],
    [
      'a result that failed',
      { tool: 't', output: { success: false, error: 'e' } },
      { status: 'error', message: 'e' },
    ],
  ])('%s ends its tool', (_name, data, event) => {
    const { entries, findings } = read(
      { type: 'tool_call', data: { tool: 't', args: null } },
      { type: 'tool_result', data },
    )
    expect(findings).toEqual([])
    expect(eventsOf(entries)[1]).toMatchObject({ kind: 'tool-result', call: 'call_0', tool: 't', ...event })
  })

  test('parallel calls of one tool end in their order, unless a result names its call', () => {
    const call = (sluice: object) => ({
      type: 'tool_call',
      data: { tool_name: 't', tool_args: null, ...sluice },
    })
    const result = (value: number, sluice: object) => ({
      type: 'tool_result',
      data: { tool_name: 't', result: value, ...sluice },
    })
    const { state } = read(
      call({}),
      call({}),
      call({ sluice: { call: 'x' } }),
      result(1, { sluice: { call: 'x' } }),
      result(2, {}),
    )
    expect(tableValues(state.calls).map((ended) => [ended.call, ended.result])).toEqual([
      ['call_0', 2],
      ['call_1', undefined],
      ['x', 1],
    ])
  })

  test('an error of a step does not end the session', () => {
    expect(read({ type: 'error', data: { error: 'e' } }).state.end).toBeUndefined()
  })

  test('a final answer ends the text, not the session, and is never appended', () => {
    expect(kindsOf(chunk('a'), final('a'))).toEqual(['text-delta', 'text-end'])
    expect(kindsOf(chunk('a'), final('b'))).toEqual(['text-delta', 'text-reset', 'text-delta', 'text-end'])
    expect(kindsOf(final('b'))).toEqual(['text-delta', 'text-end'])
    expect(kindsOf(chunk('a'), { type: 'answer', data: 'a' })).toEqual(['text-delta', 'text-end'])
    expect(read(chunk('a'), final('b')).state.end).toBeUndefined()
  })

  test('the provenance of a final answer is its sources', () => {
    const { entries } = read({ type: 'final_answer', data: { text: 'a', provenance: [{ source: 's' }] } })
    expect(eventsOf(entries)[2]).toEqual({ kind: 'sources', items: [{ source: 's' }] })
  })

  test('done without data ends the session, with a finding', () => {
    const { state, findings } = read(chunk('a'), { type: 'done' })
    expect(findings).toMatchObject([{ code: 'missing_field', path: '/data' }])
    expect(state.end).toEqual({ outcome: 'completed' })
  })
})

describe('what goes out', () => {
  const head = { take: 0, position: 0, channel: 'answer' } as const

  test('an answer goes in chunks and ends as a whole', () => {
    expect(
      written(
        { kind: 'text-delta', output: 'answer', text: 'One ', ...head },
        { kind: 'text-delta', output: 'answer', text: 'two.', ...head },
        { kind: 'text-end', output: 'answer', take: 0 },
      ),
    ).toEqual([chunk('One '), chunk('two.'), final('One two.')])
  })

  test('other outputs are named', () => {
    expect(
      written(
        { kind: 'text-delta', output: 'mail', text: 'Dear', ...head },
        { kind: 'text-end', output: 'mail', take: 0 },
        { kind: 'text-delta', output: 'notes', text: 'hm', ...head, channel: 'reasoning' },
        { kind: 'text-delta', output: 'reasoning', text: 'hm', ...head, channel: 'reasoning' },
      ),
    ).toEqual([
      { type: 'answer_chunk', data: { text: 'Dear', sluice: { output: 'mail' } } },
      { type: 'final_answer', data: { text: 'Dear', sluice: { output: 'mail' } } },
      { type: 'thinking', data: { message: 'hm', sluice: { output: 'notes' } } },
      { type: 'thinking', data: 'hm' },
    ])
  })

  test('a type that means something here is not given to an unknown event', () => {
    const [other, same] = written(
      { kind: 'unknown', type: 'vendor.beat', data: 1 },
      { kind: 'unknown', type: 'tool_result', data: { tool: 't' } },
    )
    expect(other).toEqual({ type: 'vendor.beat', data: 1 })
    expect(same).toMatchObject({ type: 'log', data: { sluice: { kind: 'unknown', type: 'tool_result' } } })
  })

  test.each(['completed', 'failed', 'cancelled', 'rejected'] as const)(
    'the outcome %s is told',
    (outcome) => {
      const frames = written({ kind: 'session-end', outcome })
      expect(read(...frames).state.end).toEqual({ outcome })
    },
  )

  test('frames of documented types have their documented form', () => {
    const forms = Object.entries(streamEvent.schemas).map(
      ([type, schema]) => [type, createChecker(schema, type)] as const,
    )
    const byType = new Map(forms)
    fc.assert(
      fc.property(anyEntries, (groups) => {
        const { state, entries } = entriesOf(groups)
        for (const { data } of encodeSession(streamEvent, state, entries)) {
          const frame = JSON.parse(data) as WireFrame
          expect(byType.get(frame.type)?.exactFindings(frame) ?? [], data.slice(0, 300)).toEqual([])
        }
      }),
      { numRuns: runs(300) },
    )
  })

  test('payloads stand in their fields and in what is carried, never in a message', () => {
    const secret = 'SENTINEL'
    const frames = written(
      { kind: 'session-start', request: secret },
      { kind: 'tool-call', call: 'c', tool: 't', args: secret, argsSummary: secret },
      { kind: 'tool-call-delta', call: 'c', argsText: secret },
      { kind: 'tool-result', call: 'c', tool: 't', status: 'success', result: secret, message: secret },
      { kind: 'tool-call', call: 'd', tool: 't' },
      { kind: 'tool-result', call: 'd', tool: 't', status: 'error', message: secret },
    )
    const fields = frames.flatMap(({ type, data }) => placesOf(data, secret, type))
    expect(fields).toEqual([
      'log.sluice.request',
      'tool_call.tool_args',
      'tool_call.sluice.argsSummary',
      'log.sluice.argsText',
      'tool_result.result',
      'tool_result.sluice.message',
      'tool_result.error',
    ])
  })
})

function placesOf(value: JsonValue | undefined, text: string, path: string): readonly string[] {
  if (typeof value === 'string') return value.includes(text) ? [path] : []
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, member]) =>
    placesOf(member as JsonValue, text, `${path}.${key}`),
  ) // JSON
}

test.each<[JsonValue, boolean]>([
  [{ type: 'log', data: null }, true],
  [{ type: 'vendor', data: 1 }, true],
  [{ type: 'tool_call', data: {}, seq: 1 }, true],
  [{ type: 'done' }, true],
  [{ type: 'data-weather', data: { t: 1 } }, false],
  [{ type: 'text-delta', id: '1', delta: 'a' }, false],
  [{ type: 'vendor', data: 1, id: 'e1' }, false],
  [{ agent_kind: 'codex', kind: 'Status' }, false],
  ['log', false],
])('recognizes(%j) is %s', (value, isOwn) => {
  expect(streamEvent.recognizes(value)).toBe(isOwn)
})
