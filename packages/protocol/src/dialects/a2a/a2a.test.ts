import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import type { SluiceEvent } from '../../events.ts'
import { encodeSession, entriesOf, readSession } from '../../testing/sessions.ts'
import { testDialect } from '../../testing/test-dialect.ts'
import { a2a } from './index.ts'

testDialect(a2a, { fixtures: new URL('./fixtures/', import.meta.url) })

const ids = { taskId: 'task-1', contextId: 'ctx-1' }
const active = { status: 'active', status_reason: 'chunk_streaming' }
const complete = { status: 'finalized', status_reason: 'complete_message' }
const interrupt = { status: 'finalized', status_reason: 'interrupt' }
const task = {
  kind: 'task',
  id: ids.taskId,
  contextId: ids.contextId,
  status: { state: 'working' },
} as const

const texts = (...parts: readonly string[]): object[] => parts.map((text) => ({ kind: 'text', text }))
const update = (append: boolean, metadata: object, ...parts: readonly string[]): object => ({
  kind: 'artifact-update',
  ...ids,
  append,
  lastChunk: false,
  artifact: { artifactId: 'stream_delta', name: 'stream_delta', metadata, parts: texts(...parts) },
})

/** The events of frames without meta, one list per entry. */
function eventsOf(frames: readonly object[]): readonly (readonly object[])[] {
  const { entries } = readSession(
    a2a,
    frames.map((frame) => JSON.stringify(frame)),
    { isEnded: false },
  )
  return entries.map(({ events }) =>
    events.filter(({ meta }) => meta?.implied !== true).map(({ meta: _meta, ...event }) => event),
  )
}

function findingsOf(frames: readonly object[]): readonly string[] {
  const { findings } = readSession(
    a2a,
    frames.map((frame) => JSON.stringify(frame)),
    { isEnded: false },
  )
  return findings.map(({ line, code, path }) => `${line} ${code} ${path}`)
}

const delta = (text: string, position: number, take = 0): SluiceEvent => ({
  kind: 'text-delta',
  output: 'stream_delta',
  take,
  text,
  position,
  channel: 'answer',
})
const end = { kind: 'text-end', output: 'stream_delta', take: 0 } as const
const reset = { kind: 'text-reset', output: 'stream_delta', take: 1, channel: 'answer' } as const

describe('the stream_delta profile', () => {
  test('its own examples, which leave ids out, mean the same with findings', () => {
    const frames = [
      task,
      {
        kind: 'artifact-update',
        append: false,
        artifact: { artifactId: 'stream_delta', metadata: active, parts: texts('Hello') },
      },
      { artifact: { metadata: interrupt, parts: texts('Hello') } },
      { append: false, artifact: { metadata: active, parts: texts('Completely new') } },
    ]
    expect(eventsOf(frames).slice(1)).toEqual([
      [delta('Hello', 0)],
      [{ ...end, interrupted: true }],
      [reset, delta('Completely new', 0, 1)],
    ])
    expect(findingsOf(frames)).toEqual([
      '2 missing_field /taskId',
      '2 missing_field /contextId',
      '3 missing_field /kind',
      '3 missing_field /taskId',
      '3 missing_field /contextId',
      '3 missing_field /artifact/artifactId',
      '4 missing_field /kind',
      '4 missing_field /taskId',
      '4 missing_field /contextId',
      '4 missing_field /artifact/artifactId',
    ])
  })

  test('an answer of another dialect streams as the artifact stream_delta', () => {
    const recorded = readFileSync(new URL('./fixtures/hello-world.ndjson', import.meta.url), 'utf8')
    const [, , first, second, final] = recorded
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
    const { entries } = entriesOf([
      [{ kind: 'session-start' }],
      [delta('Hello', 0)],
      [delta(' World!', 5)],
      [end],
    ])
    const session = { id: 'sess_1', foreign: first.taskId, context: first.contextId }
    const frames = encodeSession(a2a, session, entries).map(({ data }) => JSON.parse(data))
    const joined = { ...final, artifact: { ...final.artifact, parts: texts('Hello World!') } }
    expect(frames.slice(1, 4)).toEqual([first, second, joined])
    expect(frames.map(({ kind }) => kind)).toEqual([
      'task',
      'artifact-update',
      'artifact-update',
      'artifact-update',
      'status-update',
    ])
  })

  test('a final message that differs replaces what was streamed', () => {
    const frames = [task, update(false, active, 'Hello'), update(false, complete, 'Bye')]
    expect(eventsOf(frames).at(-1)).toEqual([reset, delta('Bye', 0, 1), { ...end, take: 1 }])
    expect(findingsOf(frames)).toEqual(['3 final_text_differs /artifact/parts'])
  })
})

describe('a task that is sent again', () => {
  const again = (metadata: object, ...parts: readonly string[]): object => ({
    ...task,
    artifacts: [{ artifactId: 'stream_delta', name: 'stream_delta', metadata, parts: texts(...parts) }],
  })
  const before = [task, update(false, active, 'Hel'), update(true, active, 'lo')]

  test.each([
    { what: 'equal text: nothing', sent: again(active, 'Hello'), events: [] },
    {
      what: 'longer text: what is missing',
      sent: again(active, 'Hel', 'lo World'),
      events: [delta(' World', 5)],
    },
    { what: 'ended text: its end', sent: again(complete, 'Hello'), events: [end] },
    { what: 'other text: a new take', sent: again(active, 'Bye'), events: [reset, delta('Bye', 0, 1)] },
  ])('$what', ({ sent, events }) => {
    expect(eventsOf([...before, sent]).at(-1)).toEqual(events)
    expect(findingsOf([...before, sent])).toEqual([])
  })
})

describe('other forms of 0.3', () => {
  const kinds = [
    { ...task, status: { state: 'submitted' } },
    { kind: 'status-update', ...ids, status: { state: 'working' }, final: false },
    update(false, active, 'Hello'),
    { kind: 'status-update', ...ids, status: { state: 'canceled' }, final: true },
  ]

  test('JSON-RPC around a frame changes nothing but the bytes', () => {
    const wrapped = kinds.map((result) => ({ jsonrpc: '2.0', id: 7, result }))
    expect(eventsOf(wrapped)).toEqual(eventsOf(kinds))
    expect(findingsOf(wrapped)).toEqual([])
    expect(a2a.recognizes({ jsonrpc: '2.0', id: 7, result: task })).toBe(true)
  })

  test('the ProtoJSON of the REST binding is read', () => {
    const rest = [
      { task: { id: ids.taskId, contextId: ids.contextId, status: { state: 'TASK_STATE_SUBMITTED' } } },
      { statusUpdate: { ...ids, status: { state: 'TASK_STATE_WORKING' } } },
      {
        artifactUpdate: {
          ...ids,
          artifact: {
            artifactId: 'stream_delta',
            name: 'stream_delta',
            metadata: active,
            parts: [{ text: 'Hello' }],
          },
        },
      },
      { statusUpdate: { ...ids, status: { state: 'TASK_STATE_CANCELLED' }, final: true } },
    ]
    expect(eventsOf(rest)).toEqual(eventsOf(kinds))
    expect(findingsOf(rest)).toEqual([])
    const parts = [
      { text: 'See' },
      { file: { fileWithUri: 'https://files.example/a.png', mimeType: 'image/png' } },
      { file: { fileWithBytes: 'aGk=' } },
      { data: { data: { n: 1 } } },
    ]
    const message = { message: { messageId: 'm', role: 'ROLE_AGENT', content: parts } }
    expect(eventsOf([message])).toEqual([
      [
        {
          kind: 'message',
          id: 'm',
          role: 'agent',
          parts: [
            { type: 'text', text: 'See' },
            { type: 'file', mediaType: 'image/png', uri: 'https://files.example/a.png' },
            { type: 'file', inline: 'aGk=' },
            { type: 'data', data: { n: 1 } },
          ],
        },
      ],
    ])
    expect(a2a.recognizes(message)).toBe(true)
  })
})

test('data that is no object stands inside one', () => {
  const part: SluiceEvent = { kind: 'part-add', output: 'out', part: { type: 'data', data: [1, 2] } }
  const session = entriesOf([[part]])
  const frames = encodeSession(a2a, session.state, session.entries).map(({ data }) => data)
  expect(frames[1]).toContain('"data":{"value":[1,2]}')
  const { entries } = readSession(a2a, frames)
  expect(entries[1]?.events[0]).toMatchObject(part)
})

test('a question that waits for an answer is final in its stream, an authorization is not', () => {
  const ask = (question: 'clarification' | 'authorization'): SluiceEvent => ({
    kind: 'question-open',
    question,
    token: question,
    text: 'Go on?',
  })
  const session = entriesOf([[ask('authorization')], [ask('clarification')]])
  const frames = encodeSession(a2a, session.state, session.entries).map(({ data }) => JSON.parse(data))
  expect(frames.slice(1, 3).map(({ status, final }) => [status.state, final])).toEqual([
    ['auth-required', false],
    ['input-required', true],
  ])
})
