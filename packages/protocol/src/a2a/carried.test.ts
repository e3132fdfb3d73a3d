import { describe, expect, test } from 'vitest'
import { a2a } from '../dialects/a2a/index.ts'
import { a2aV1 } from '../dialects/a2a-v1/index.ts'
import type { JsonObject } from '../json.ts'
import { encodeSession, readSession } from '../testing/sessions.ts'
import { type StatedFields, testCarried } from '../testing/test-carried.ts'

const asked = ['text', 'consequence', 'allowed', 'choices', 'token']
const stated: StatedFields = {
  progress: ['text'],
  notice: ['text'],
  handoff: ['reason'],
  'question-open confirmation': asked,
  'question-open authorization': asked,
  'question-open clarification': asked,
  'session-end completed': ['outcome', 'error'],
  'session-end failed': ['outcome', 'error'],
  'session-end cancelled': ['outcome', 'error'],
  'session-end rejected': ['outcome', 'error'],
}
describe('a2a', () => testCarried(a2a, stated))
describe('a2a-v1', () => testCarried(a2aV1, stated))

const ids = { taskId: 'task-1', contextId: 'ctx-1' }
const task = (fields: JsonObject = {}): JsonObject => ({
  kind: 'task',
  id: ids.taskId,
  contextId: ids.contextId,
  status: { state: 'working' },
  ...fields,
})
const said = (...parts: readonly (string | JsonObject)[]): JsonObject => ({
  kind: 'message',
  messageId: 'm1',
  role: 'agent',
  parts: parts.map((part) =>
    typeof part === 'string' ? { kind: 'text', text: part } : { kind: 'data', data: part },
  ),
})
const update = (status: JsonObject, sluice: JsonObject): JsonObject => ({
  kind: 'status-update',
  ...ids,
  status,
  final: !['working', 'auth-required'].includes(String(status['state'])),
  metadata: { sluice },
})
const question = {
  kind: 'question-open',
  question: 'confirmation',
  token: 'q',
  text: 'Delete the folder?',
  default: 'reject',
}
const asking = { question: 'confirmation', token: 'q' }

function read(...frames: readonly object[]) {
  const session = readSession(
    a2a,
    frames.map((frame) => JSON.stringify(frame)),
    { isEnded: false },
  )
  const [entry] = session.entries.slice(-1)
  return {
    codes: session.findings.map(({ code, path }) => `${code} ${path}`),
    events: entry?.events.filter(({ meta }) => meta?.implied !== true) ?? [],
    again: encodeSession(a2a, session.state, session.entries).map(({ data }) => data),
  }
}

describe('what a frame carries', () => {
  test.each<[string, JsonObject, JsonObject, object]>([
    [
      'another question',
      { state: 'input-required', message: said('Delete the folder?', asking) },
      { ...question, text: 'Make tea?', default: 'accept' },
      { kind: 'question-open', text: 'Delete the folder?' },
    ],
    [
      'another token',
      { state: 'input-required', message: said('Delete the folder?', asking) },
      { ...question, token: 'other' },
      { kind: 'question-open', text: 'Delete the folder?' },
    ],
    [
      'a remark of a question',
      { state: 'input-required', message: said('Delete the folder?') },
      { kind: 'notice', level: 'info', text: 'Delete the folder?' },
      { kind: 'question-open', text: 'Delete the folder?' },
    ],
    [
      'a message of a question',
      { state: 'input-required', message: said('Delete the folder?') },
      { message: true },
      { kind: 'question-open', text: 'Delete the folder?' },
    ],
    [
      'a question of work',
      { state: 'working', message: said('Delete the folder?', asking) },
      question,
      { kind: 'state-change', to: 'thinking' },
    ],
    [
      'a success of a failure',
      { state: 'failed', message: said('No money.') },
      { kind: 'session-end', outcome: 'completed', durationMs: 5 },
      { kind: 'session-end', outcome: 'failed', error: { message: 'No money.' } },
    ],
    [
      'another failure',
      { state: 'failed', message: said('No money.') },
      { kind: 'session-end', outcome: 'failed', error: { message: 'No time.' } },
      { outcome: 'failed', error: { message: 'No money.' } },
    ],
    [
      'other words',
      { state: 'working', message: said('The disk is full.') },
      { kind: 'notice', level: 'debug', text: 'All is well.' },
      { kind: 'state-change' },
    ],
  ])('does not make %s', (_what, status, sluice, own) => {
    const { codes, events, again } = read(task(), update(status, sluice))
    expect(codes).toEqual(['carried_contradicts /metadata/sluice'])
    expect(events[0]).toMatchObject(own)
    expect(again.join('\n')).not.toMatch(/Make tea|No time|All is well/)
  })

  test('does not give a status another time', () => {
    const timestamp = '2026-03-02T09:00:00.000Z'
    const sluice = { kind: 'usage', inputTokens: 5, meta: { at: '2020-01-01T00:00:00.000Z' } }
    const { codes, events } = read(task(), update({ state: 'working', timestamp }, sluice))
    expect(codes).toEqual([])
    expect(events[0]).toMatchObject({ kind: 'usage', meta: { at: timestamp } })
  })

  test.each<[string, JsonObject, JsonObject | undefined, object]>([
    [
      'another question',
      { state: 'input-required', message: said('Delete the folder?', asking) },
      { ...question, text: 'Make tea?' },
      { kind: 'question-open', text: 'Delete the folder?' },
    ],
    [
      'nothing of a question',
      { state: 'input-required', message: said('Delete the folder?') },
      { kind: 'usage', inputTokens: 5 },
      { kind: 'question-open', text: 'Delete the folder?' },
    ],
    [
      'a success of a failure',
      { state: 'failed' },
      { kind: 'session-end', outcome: 'completed' },
      { kind: 'session-end', outcome: 'failed' },
    ],
    [
      'an end of work',
      { state: 'working' },
      { kind: 'session-end', outcome: 'completed' },
      { to: 'thinking' },
    ],
  ])('does not make %s in a task', (_what, status, event, own) => {
    const metadata = { sluice: { kind: 'session-start', stand: event === undefined ? [] : [event] } }
    const { codes, events } = read(task({ status, metadata }))
    expect(codes).toEqual(['carried_contradicts /metadata/sluice/stand'])
    expect(events.at(1)).toMatchObject(own)
    expect(events.map(({ kind }) => kind)).not.toContain('usage')
  })

  test('of a task that says nothing of its status leaves the status to the task', () => {
    const metadata = { sluice: { kind: 'session-start', tools: ['ls'] } }
    const status = { state: 'input-required', message: said('Delete the folder?') }
    expect(read(task({ status, metadata })).codes).toEqual([])
    expect(read(task({ status, metadata })).events[1]).toMatchObject({ text: 'Delete the folder?' })
    expect(read(task({ metadata })).events).toMatchObject([{ kind: 'session-start', tools: ['ls'] }])
  })

  test('does not give a session another request than its history', () => {
    const metadata = { sluice: { kind: 'session-start', request: 'Delete it.' } }
    const { codes, events } = read(task({ metadata }))
    expect(codes).toEqual(['carried_contradicts /metadata/sluice/request'])
    expect(events[0]).not.toHaveProperty('request')
  })

  test.each([
    ['tool', { artifactId: 'tool.c1', name: 'rm' }],
    ['call', { artifactId: 'tool.c2', name: 'ls' }],
  ])('is no event of another %s than the artifact', (_what, head) => {
    const data = { kind: 'tool-call', call: 'c1', tool: 'ls' }
    const artifact = { ...head, parts: [{ kind: 'data', data }] }
    const frame = { kind: 'artifact-update', ...ids, artifact, metadata: { sluice: { parts: 'events' } } }
    const { codes, events } = read(task(), frame)
    expect(codes).toEqual(['carried_contradicts /metadata/sluice/parts'])
    expect(events[0]).toMatchObject({ kind: 'part-add', part: { data } })
  })
})
