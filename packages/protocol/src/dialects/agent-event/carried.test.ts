import { describe, expect, test } from 'vitest'
import type { JsonObject } from '../../json.ts'
import { encodeSession, readSession } from '../../testing/sessions.ts'
import { testCarried } from '../../testing/test-carried.ts'
import { agentEvent } from './index.ts'
import { longQuestion } from './pieces.ts'

testCarried(agentEvent, {
  notice: ['text'],
  'session-end completed': ['outcome'],
  'session-end failed': ['outcome', 'error'],
  'session-end rejected': ['outcome', 'error'],
  'session-end cancelled': ['outcome'],
})

const read = (...frames: readonly object[]) =>
  readSession(
    agentEvent,
    frames.map((frame) => JSON.stringify(frame)),
    { isEnded: false },
  )
const codesOf = ({ findings }: ReturnType<typeof read>) => findings.map(({ code, path }) => `${code} ${path}`)

const status = { agent_kind: 'codex', kind: 'Status' }
const notice = { kind: 'notice', level: 'info', text: 'All is well.', code: 'W1' }
const end = (fields: JsonObject): JsonObject => ({ kind: 'session-end', ...fields })
const ok = (fields: object, sluice: object) => ({ completion: { ok: { ...fields, data: { sluice } } } })
const error = (fields: object, sluice: object) => ({ completion: { error: { ...fields, data: { sluice } } } })
const exit = (code: number) => ({ status: { code, signal: null } })

describe('what a frame carries', () => {
  test.each<[string, object, string, object]>([
    [
      'another remark',
      { ...status, message: 'The disk is full.', data: { sluice: notice } },
      '/data/sluice',
      { kind: 'notice', level: 'info', text: 'The disk is full.' },
    ],
    [
      'a remark of an error',
      { ...status, kind: 'Error', message: 'The disk is full.', data: { sluice: notice } },
      '/data/sluice',
      { kind: 'notice', level: 'error', text: 'The disk is full.' },
    ],
    [
      'a question of an error',
      {
        ...status,
        kind: 'Error',
        message: 'The disk is full.',
        data: { sluice: { kind: 'question-open', question: 'confirmation', token: 'q', text: 'Tea?' } },
      },
      '/data/sluice',
      { kind: 'notice', level: 'error', text: 'The disk is full.' },
    ],
    [
      'a text of a status',
      {
        ...status,
        message: 'Busy.',
        data: {
          sluice: { kind: 'text-delta', output: 'x', take: 0, text: 'y', position: 0, channel: 'answer' },
        },
      },
      '/data/sluice',
      { kind: 'notice', text: 'Busy.' },
    ],
    [
      'a failure of a success',
      ok(exit(0), end({ outcome: 'failed' })),
      '/completion/ok/data/sluice',
      { kind: 'session-end', outcome: 'completed' },
    ],
    [
      'a success of an exit code',
      ok(exit(2), end({ outcome: 'completed', durationMs: 5 })),
      '/completion/ok/data/sluice',
      { kind: 'session-end', outcome: 'failed', error: { code: 'exit_status' } },
    ],
    [
      'a success of a failure',
      error({ message: 'No money.' }, end({ outcome: 'completed' })),
      '/completion/error/data/sluice',
      { kind: 'session-end', outcome: 'failed', error: { message: 'No money.' } },
    ],
    [
      'another failure',
      error({ message: 'No money.' }, end({ outcome: 'failed', error: { message: 'No time.' } })),
      '/completion/error/data/sluice',
      { error: { message: 'No money.' } },
    ],
    [
      'a rejection of a failure',
      error(
        { code: 'Backend', message: 'No money.' },
        end({ outcome: 'rejected', error: { message: 'No money.' } }),
      ),
      '/completion/error/data/sluice',
      { outcome: 'failed' },
    ],
    [
      'a failure of a cancellation',
      error({ code: 'Backend', message: 'cancelled' }, end({ outcome: 'failed' })),
      '/completion/error/data/sluice',
      { outcome: 'cancelled' },
    ],
  ])('does not make %s', (_what, frame, path, own) => {
    const session = read(frame)
    expect(codesOf(session)).toEqual([`carried_contradicts ${path}`])
    expect(session.entries[0]?.events.at(-1)).toMatchObject(own)
    const [again = { data: '' }] = encodeSession(agentEvent, session.state, session.entries)
    expect(again.data).not.toContain('sluice')
  })

  test('makes a timeout of a tool that failed, not of one that succeeded', () => {
    const tool = (phase: string, state: string) => ({
      schema: 'agent_api.tools.structured.v1',
      tool: {
        backend_item_id: null,
        thread_id: null,
        turn_id: null,
        kind: 'tool_use',
        phase,
        status: state,
        exit_code: null,
        bytes: { stdout: 0, stderr: 0, diff: 0, result: 0 },
        tool_name: 'ls',
        tool_use_id: 'c1',
      },
    })
    const call = { agent_kind: 'codex', kind: 'ToolCall', data: tool('start', 'running') }
    const ended = (phase: string, state: string) =>
      read(call, {
        agent_kind: 'codex',
        kind: 'ToolResult',
        data: { ...tool(phase, state), sluice: { status: 'timeout' } },
      })
    expect(codesOf(ended('fail', 'failed'))).toEqual([])
    expect(ended('fail', 'failed').entries[1]?.events[0]).toMatchObject({ status: 'timeout' })
    expect(codesOf(ended('complete', 'completed'))).toEqual(['carried_contradicts /data/sluice/status'])
    expect(ended('complete', 'completed').entries[1]?.events[0]).toMatchObject({ status: 'success' })
  })

  test('hides a message as a piece of a question only if it is the one of such pieces', () => {
    const piece = { piece: 0, of: 2, json: '{' }
    const pieces = (message: string) => read({ ...status, message, data: { sluice: piece } })
    expect(pieces(longQuestion).entries[0]?.events.map(({ kind }) => kind)).not.toContain('notice')
    const other = pieces('The disk is full.')
    expect(codesOf(other)).toEqual(['carried_contradicts /data/sluice'])
    expect(other.entries[0]?.events.at(-1)).toMatchObject({ kind: 'notice', text: 'The disk is full.' })
  })

  test('may be an event for which the dialect has no field, in other words', () => {
    const question = { kind: 'question-open', question: 'confirmation', token: 'q', text: 'May I delete it?' }
    const session = read({ ...status, message: 'May I?', data: { sluice: question } })
    expect(codesOf(session)).toEqual([])
    expect(session.entries[0]?.events.at(-1)).toMatchObject(question)
  })
})
