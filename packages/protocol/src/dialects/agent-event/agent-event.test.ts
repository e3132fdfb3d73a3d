import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Entry } from '../../entry.ts'
import type { SluiceEvent } from '../../events.ts'
import { foldEntry } from '../../fold.ts'
import type { JsonValue } from '../../json.ts'
import { omitUndefined } from '../../omit-undefined.ts'
import { createSessionState } from '../../session-state.ts'
import { tableValues } from '../../table.ts'
import { anyEntries } from '../../testing/arbitrary-events.ts'
import { runs } from '../../testing/runs.ts'
import { encodeSession, entriesOf, readSession } from '../../testing/sessions.ts'
import { testDialect } from '../../testing/test-dialect.ts'
import { maxTextBytes, truncateUtf8, truncationSuffix } from './bounds.ts'
import { agentEvent } from './index.ts'

testDialect(agentEvent, { fixtures: new URL('./fixtures/', import.meta.url) })

const read = (...frames: readonly object[]) =>
  readSession(
    agentEvent,
    frames.map((frame) => JSON.stringify(frame)),
    { isEnded: false },
  )

const eventsOf = (entries: readonly Entry[]): readonly SluiceEvent[] =>
  entries.flatMap((entry) => entry.events).filter((event) => event.meta?.implied !== true)

/** Decodes and encodes these frames; all frames from the first that is not clean are rewritten. */
function through(...frames: readonly object[]): readonly JsonValue[] {
  const { state, entries } = read(...frames)
  return encodeSession(agentEvent, state, entries).map((frame) => JSON.parse(frame.data) as JsonValue)
}

/** The frames for events of another dialect. */
function written(...events: readonly SluiceEvent[]): readonly JsonValue[] {
  const { state, entries } = entriesOf(events.map((event) => [event]))
  return encodeSession(agentEvent, state, entries).map((frame) => JSON.parse(frame.data) as JsonValue)
}

const status = { agent_kind: 'codex', kind: 'Status' }
const output = { agent_kind: 'codex', kind: 'TextOutput' }

describe('bounds on the way out', () => {
  test('a channel over 128 bytes is left out', () => {
    const frame = { ...status, message: 'm', data: { a: 1 } }
    expect(through({ ...frame, channel: 'é'.repeat(65) })).toEqual([frame])
    expect(through({ ...frame, channel: 'é'.repeat(64) })).toEqual([{ ...frame, channel: 'é'.repeat(64) }])
  })

  test('a message over 4096 bytes is cut and ends with the suffix', () => {
    expect(through({ ...status, message: 'a'.repeat(4097), data: 1 })).toEqual([
      { ...status, message: 'a'.repeat(4082) + truncationSuffix, data: 1 },
    ])
  })

  test('data over 65536 bytes is replaced whole', () => {
    const dropped = { dropped: { reason: 'oversize' } }
    expect(through({ ...status, message: 'm', data: 'a'.repeat(65_535) })).toEqual([
      { ...status, message: 'm', data: dropped },
    ])
    const completion = { ok: { status: { code: 0, signal: null }, data: ['a'.repeat(65_535)] } }
    expect(through({ ...status, message: 'm' }, { completion }).at(-1)).toEqual({
      completion: { ok: { status: { code: 0, signal: null }, data: dropped } },
    })
  })

  test('a text over 65536 bytes is split, each part with the channel and the data of the whole', () => {
    const frame = { ...output, channel: 'assistant', data: { id: 7 } }
    const parts = through({ ...frame, text: '💖'.repeat(40_000) })
    expect(parts).toEqual([
      { ...frame, text: '💖'.repeat(16_384) },
      { ...frame, text: '💖'.repeat(16_384) },
      { ...frame, text: '💖'.repeat(7_232) },
    ])
  })

  test('a final text over 65536 bytes is cut, and still known for the answer', () => {
    const text = 'é'.repeat(30_000)
    const frames = through(
      { ...output, text },
      { ...output, text, message: 'not allowed' },
      { completion: { ok: { final_text: text + text } } },
    )
    expect(frames.at(-1)).toEqual({
      completion: { ok: { final_text: 'é'.repeat(32_761) + truncationSuffix } },
    })
    const { entries } = read(...(frames as readonly object[]))
    expect(eventsOf(entries).map((event) => event.kind)).toEqual([
      'text-delta',
      'text-delta',
      'text-end',
      'session-end',
    ])
  })

  test.each([
    ['at the bound', ['a'.repeat(maxTextBytes)]],
    ['one unit longer', ['a'.repeat(maxTextBytes), 'b']],
    ['one character of two units longer', ['a'.repeat(maxTextBytes), '💖']],
    ['longer than a state keeps', Array.from({ length: 100 }, () => 'a'.repeat(maxTextBytes))],
    ['of four bytes a character', ['💖'.repeat(40_000)]],
  ])('the completion cuts an answer %s, for readers from the start and later ones', (_, texts) => {
    const { state, entries } = entriesOf([
      ...texts.map((text): readonly SluiceEvent[] => [
        { kind: 'text-delta', output: 'o', take: 0, position: 0, channel: 'answer', text },
      ]),
      [
        { kind: 'text-end', output: 'o', take: 0 },
        { kind: 'session-end', outcome: 'completed' },
      ],
    ])
    const completion = { ok: { final_text: truncateUtf8(texts.join(''), maxTextBytes) } }
    expect(JSON.parse(encodeSession(agentEvent, state, entries).at(-1)?.data ?? '')).toMatchObject({
      completion,
    })

    const last = entries.at(-1) as Entry
    const before = entries.slice(0, -1).reduce(foldEntry, createSessionState({ id: state.id }))
    const joined = agentEvent.encode.enter(before, { seq: before.seq })
    const { frames } = agentEvent.encode.step(joined.state, last)
    expect(JSON.parse(frames.at(-1)?.data ?? '')).toMatchObject({ completion })
  })

  test('a question that no frame holds arrives whole', () => {
    const text = '"\u0001💖'.repeat(20_000)
    const frames = written({ kind: 'question-open', question: 'confirmation', token: 'q', text })
    expect(frames.length).toBeGreaterThan(3)
    const { entries, findings } = read(...(frames as readonly object[]))
    expect(findings).toEqual([])
    expect(eventsOf(entries)[0]).toMatchObject({ kind: 'question-open', token: 'q', text })
  })

  test('a rejection stays one, however long its reason is', () => {
    const frames = written({
      kind: 'session-end',
      outcome: 'rejected',
      error: { message: 'x'.repeat(70_000), hint: 'h' },
    })
    expect(read(...(frames as readonly object[])).state.end).toMatchObject({
      outcome: 'rejected',
      error: { hint: 'h' },
    })
  })
})

describe('what comes in', () => {
  test.each<[string, object, Partial<SluiceEvent>]>([
    ['a kind in snake case', { ...output, kind: 'text_output', text: 'a' }, { kind: 'text-delta' }],
    ['a kind in camel case', { ...output, kind: 'textOutput', text: 'a' }, { kind: 'text-delta' }],
    ['agentKind', { agentKind: 'aider', kind: 'Status', message: 'm' }, { kind: 'notice', level: 'info' }],
    [
      'null members',
      { ...status, channel: null, text: null, message: 'm', data: null },
      { kind: 'notice', text: 'm' },
    ],
    [
      'a kind that nobody knows',
      { ...status, kind: 'Plan', text: 'p' },
      { kind: 'unknown', type: 'Plan', data: { text: 'p' } },
    ],
  ])('%s is no finding, but not to the letter', (_name, frame, event) => {
    const { entries, findings } = read(frame)
    expect(findings).toEqual([])
    expect(entries[0]?.clean).toBe(false)
    expect(eventsOf(entries)).toMatchObject([event])
  })

  test.each<[string | undefined, string, string]>([
    [undefined, 'answer', 'answer'],
    ['assistant', 'answer', 'answer'],
    ['thinking', 'reasoning', 'reasoning'],
    ['reasoning', 'reasoning', 'reasoning'],
    ['plan', 'plan', 'answer'],
  ])('text on the channel %s belongs to the output %s', (channel, name, textChannel) => {
    const { entries } = read({ ...output, text: 'a', ...omitUndefined({ channel }) })
    expect(eventsOf(entries)).toMatchObject([{ kind: 'text-delta', output: name, channel: textChannel }])
  })

  test.each<[string, object, object]>([
    ['an exit with 0', { ok: { status: { code: 0, signal: null } } }, { outcome: 'completed' }],
    ['no status', { ok: {} }, { outcome: 'completed' }],
    [
      'another exit',
      { ok: { status: { code: 3 } } },
      { outcome: 'failed', error: { message: 'The agent exited with code 3.' } },
    ],
    ['a signal', { ok: { status: { code: null, signal: 'SIGKILL' } } }, { outcome: 'failed' }],
    ['a cancel', { error: { code: 'Backend', message: 'cancelled' } }, { outcome: 'cancelled' }],
    [
      'a cancel as it is displayed',
      { error: { message: 'backend error: cancelled' } },
      { outcome: 'cancelled' },
    ],
    [
      'another error',
      { error: { message: 'no session found' } },
      { outcome: 'failed', error: { message: 'no session found' } },
    ],
    ['nulls', { ok: { status: null, final_text: null, data: null }, error: null }, { outcome: 'completed' }],
  ])('a completion with %s ends the session', (_name, completion, end) => {
    const { state, findings } = read({ ...output, text: 'a' }, { completion })
    expect(findings).toEqual([])
    expect(state.end).toMatchObject(end)
  })

  test('a final text that repeats the answer ends it, another replaces it', () => {
    const kinds = (text: string) =>
      eventsOf(read({ ...output, text: 'a' }, { completion: { ok: { final_text: text } } }).entries).map(
        (event) => event.kind,
      )
    expect(kinds('a')).toEqual(['text-delta', 'text-end', 'session-end'])
    expect(kinds('b')).toEqual(['text-delta', 'text-reset', 'text-delta', 'text-end', 'session-end'])
  })

  test('results without ids end the oldest call of their tool', () => {
    const facet = (phase: string, tool_name: string) => ({ tool: { tool_name, phase } })
    const { state } = read(
      { ...status, kind: 'ToolCall', data: facet('start', 'a') },
      { ...status, kind: 'ToolCall', data: facet('start', 'b') },
      { ...status, kind: 'ToolCall', data: facet('start', 'a') },
      { ...status, kind: 'ToolResult', data: facet('fail', 'a') },
      { ...status, kind: 'ToolResult', data: facet('complete', 'b') },
    )
    const calls = tableValues(state.calls)
    expect(calls.map(({ call, tool, status: ended }) => [call, tool, ended])).toEqual([
      ['call_0', 'a', 'error'],
      ['call_1', 'b', 'success'],
      ['call_2', 'a', undefined],
    ])
  })
})

describe('what goes out', () => {
  test('tools always have the whole facet, with the size of the result and not the result', () => {
    const [call, result] = written(
      { kind: 'tool-call', call: 'c1', tool: 'search', args: { q: 'é' } },
      { kind: 'tool-result', call: 'c1', tool: 'search', status: 'error', result: 'é💖', exitCode: 2 },
    )
    const bytes = { stdout: 0, stderr: 0, diff: 0, result: 0 }
    const ids = {
      backend_item_id: null,
      thread_id: null,
      turn_id: null,
      tool_name: 'search',
      tool_use_id: 'c1',
    }
    const head = { agent_kind: 'unknown', channel: 'tool' }
    const schema = 'agent_api.tools.structured.v1'
    expect(call).toEqual({
      ...head,
      kind: 'ToolCall',
      data: {
        schema,
        tool: { ...ids, kind: 'tool_use', phase: 'start', status: 'running', exit_code: null, bytes },
      },
    })
    expect(result).toEqual({
      ...head,
      kind: 'ToolResult',
      data: {
        schema,
        tool: {
          ...ids,
          kind: 'tool_result',
          phase: 'fail',
          status: 'failed',
          exit_code: 2,
          bytes: { ...bytes, result: 6 },
        },
      },
    })
  })

  test.each<[object, string]>([
    [{ kind: 'claude_code' }, 'claude_code'],
    [{ kind: 'Claude Code 2' }, 'claude_code_2'],
    [{ id: 'urn:agent:7/Ä' }, 'urn_agent_7'],
    [{ id: '7up' }, 'agent_7up'],
    [{ id: '💖', name: 'Travel desk' }, 'travel_desk'],
    [{}, 'unknown'],
  ])('the agent %j is of the kind %s', (agent, kind) => {
    expect(written({ kind: 'notice', level: 'info', text: 'n', meta: { agent } })[0]).toMatchObject({
      agent_kind: kind,
    })
  })

  test('every Status has a message', () => {
    fc.assert(
      fc.property(anyEntries, (groups) => {
        const { state, entries } = entriesOf(groups)
        for (const { data } of encodeSession(agentEvent, state, entries)) {
          const frame = JSON.parse(data) as { kind?: string; message?: string }
          if (frame.kind === 'Status') expect(frame.message).toMatch(/./su)
        }
      }),
      { numRuns: runs(200) },
    )
  })

  test('no frame holds tool arguments, results, a request or data that nobody has vetted', () => {
    const secret = 'SENTINEL'
    const plant = (event: SluiceEvent): SluiceEvent => {
      if (event.kind === 'session-start') return { ...event, request: secret }
      if (event.kind === 'tool-call') return { ...event, args: { [secret]: secret }, argsSummary: secret }
      if (event.kind === 'tool-call-delta') return { ...event, argsText: secret }
      if (event.kind === 'unknown') return { ...event, data: secret }
      if (event.kind !== 'tool-result') return event
      const meta = { ext: { 'agent-event': { message: secret } } }
      return { ...event, result: [secret], message: secret, meta }
    }
    fc.assert(
      fc.property(anyEntries, (groups) => {
        const { state, entries } = entriesOf(groups.map((events) => events.map(plant)))
        for (const { data } of encodeSession(agentEvent, state, entries)) expect(data).not.toContain(secret)
      }),
      { numRuns: runs(500) },
    )
  })

  test('what a broken frame held is not repeated', () => {
    const secret = 'SENTINEL'
    const frames = through(
      { kind: 'ToolResult', text: secret },
      { ...status, kind: 'Unknown', message: 5, data: secret },
      { ...status, kind: 'ToolResult', text: secret, data: { tool: { tool_name: 'sh' } } },
    )
    expect(JSON.stringify(frames)).not.toContain(secret)
  })

  test('what a peer claims to have kept of a frame makes no unsound frame', () => {
    const kept: readonly JsonValue[] = [
      { kind: 'TextOutput' },
      { kind: 'Error' },
      { kind: 7, message: 5 },
      { fields: { kind: 'Status', agent_kind: 5, text: 'x' } },
      { kind: 'Status', message: 'm', data: { schema: 'agent_api.tools.structured.v1' } },
      { completion: { ok: { status: 5 } } },
      { completion: { error: 5 } },
    ]
    const events: readonly SluiceEvent[] = [
      { kind: 'notice', level: 'error', text: 'n' },
      { kind: 'unknown', type: 'Unknown', data: 1 },
      { kind: 'session-end', outcome: 'failed' },
    ]
    for (const ext of kept)
      for (const event of events) {
        const claimed = { ...event, meta: { ext: { 'agent-event': ext } } } as SluiceEvent // whatever it claims
        const { state, entries } = entriesOf([[claimed]])
        const own = entries.map((entry) => ({ ...entry, source: { dialect: 'agent-event' } }))
        for (const { data } of encodeSession(agentEvent, state, own))
          expect(agentEvent.validate(JSON.parse(data) as JsonValue), data).toEqual([])
      }
  })
})

test('validate() knows the bounds of what we send', () => {
  const codes = (value: object) => agentEvent.validate(value as JsonValue).map(({ code }) => code)
  expect(codes({ ...output, text: 'é'.repeat(32_768) })).toEqual([])
  expect(codes({ ...output, text: 'é'.repeat(32_769) })).toEqual(['text_over_bound'])
  expect(codes({ ...status, message: 'é'.repeat(2049), text: 'x' })).toEqual([
    'text_not_allowed',
    'message_over_bound',
  ])
  expect(codes({ completion: { ok: { data: 'a'.repeat(65_535), final_text: 'a'.repeat(65_537) } } })).toEqual(
    ['data_over_bound', 'text_over_bound'],
  )
  expect(codes({ completion: { error: { message: 'a'.repeat(4097) } } })).toEqual(['message_over_bound'])
  expect(codes({ ...status, kind: 'status' })).toEqual(['wrong_value'])
})

test.each<[JsonValue, boolean]>([
  [{ ...status }, true],
  [{ agentKind: 'codex', kind: 'status' }, true],
  [{ completion: { ok: {} } }, true],
  [{ completion: 7 }, false],
  [{ kind: 'status-update', taskId: 't' }, false],
  [{ type: 'log', data: 1 }, false],
  [[], false],
])('recognizes(%j) is %s', (value, isOwn) => {
  expect(agentEvent.recognizes(value)).toBe(isOwn)
})

describe('a run of another dialect', () => {
  const delta = (output: string, text: string): SluiceEvent => ({
    kind: 'text-delta',
    output,
    take: 0,
    text,
    position: 0,
    channel: 'answer',
  })
  const end = (output: string): SluiceEvent => ({ kind: 'text-end', output, take: 0 })
  const agent = { kind: 'claude_code' }
  const groups: readonly (readonly SluiceEvent[])[] = [
    [{ kind: 'session-start', meta: { agent } }],
    [
      {
        kind: 'notice',
        level: 'info',
        code: 'agent_session',
        text: 'system init',
        meta: { agent: { ...agent, session: 'thread 1' } },
      },
    ],
    [delta('m1', 'Let me look.'), end('m1')],
    [delta('m2', 'It is ')],
    [delta('m2', 'done.'), end('m2'), { kind: 'session-end', outcome: 'completed' }],
  ]
  const facet = { schema: 'agent_api.session.handle.v1', session: { id: 'thread 1' } }
  const { state, entries } = entriesOf(groups)
  const frames = encodeSession(agentEvent, state, entries).map((frame) => frame.data)

  test('tells the session of the agent in a Status and in the completion, with the last text', () => {
    const values = frames.map((frame) => JSON.parse(frame))
    expect(values.find(({ kind }) => kind === 'Status')).toEqual({
      agent_kind: 'claude_code',
      kind: 'Status',
      channel: 'status',
      message: 'system init',
      data: facet,
    })
    expect(values.at(-1)).toEqual({
      completion: {
        ok: {
          status: { code: 0, signal: null },
          final_text: 'It is done.',
          data: { ...facet, final_output: 'm2' },
        },
      },
    })
  })

  test('reads back with its texts, its agent and its outcome', () => {
    const back = readSession(agentEvent, frames, { isEnded: false })
    expect(back.findings).toEqual([])
    expect(tableValues(back.state.outputs).map(({ output, text }) => [output, text])).toEqual([
      ['m1', 'Let me look.'],
      ['m2', 'It is done.'],
    ])
    expect(back.state).toMatchObject({ agent: { session: 'thread 1' }, end: { outcome: 'completed' } })
  })
})
