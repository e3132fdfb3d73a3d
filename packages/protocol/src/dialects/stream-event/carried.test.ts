import { describe, expect, test } from 'vitest'
import { encodeSession, readSession } from '../../testing/sessions.ts'
import { testCarried } from '../../testing/test-carried.ts'
import { streamEvent } from './index.ts'

testCarried(streamEvent, { notice: ['level', 'text'] })

const read = (...frames: readonly object[]) =>
  readSession(
    streamEvent,
    frames.map((frame) => JSON.stringify(frame)),
    { isEnded: false },
  )
const codesOf = ({ findings }: ReturnType<typeof read>) => findings.map(({ code, path }) => `${code} ${path}`)

const notice = { kind: 'notice', level: 'info', text: 'All is well.', code: 'W1' }
const question = { kind: 'question-open', question: 'confirmation', token: 'q', text: 'Tea?' }
const call = { type: 'tool_call', data: { tool_name: 'ls', tool_args: {}, sluice: { call: 'c1' } } }
const result = (data: object) => ({ type: 'tool_result', data: { tool_name: 'ls', ...data } })

describe('what a frame carries', () => {
  test.each<[string, object, object]>([
    [
      'another remark',
      { type: 'log', data: { level: 'info', message: 'The disk is full.', sluice: notice } },
      { level: 'info', text: 'The disk is full.' },
    ],
    [
      'a lower level',
      { type: 'log', data: { level: 'warning', message: 'All is well.', sluice: notice } },
      { level: 'warning' },
    ],
    [
      'a remark of an error',
      { type: 'error', data: { error: 'All is well.', sluice: notice } },
      { level: 'error', text: 'All is well.' },
    ],
    [
      'a question of an error',
      { type: 'error', data: { error: 'The disk is full.', sluice: question } },
      { level: 'error', text: 'The disk is full.' },
    ],
    [
      'a result of a log',
      {
        type: 'log',
        data: { message: 'Busy.', sluice: { kind: 'tool-result', call: 'c', tool: 't', status: 'success' } },
      },
      { level: 'info', text: 'Busy.' },
    ],
  ])('does not make %s', (_what, frame, own) => {
    const session = read(frame)
    expect(codesOf(session)).toEqual(['carried_contradicts /data/sluice'])
    expect(session.entries[0]?.events.at(-1)).toMatchObject({ kind: 'notice', ...own })
    const [again = { data: '' }] = encodeSession(streamEvent, session.state, session.entries)
    expect(again.data).not.toContain('sluice')
  })

  test.each<[string, object, object]>([
    [
      'a timeout of a success',
      { result: 1, sluice: { call: 'c1', status: 'timeout' } },
      { status: 'success' },
    ],
    [
      'another message',
      { error: 'No disk.', sluice: { call: 'c1', message: 'All is well.' } },
      { status: 'error', message: 'No disk.' },
    ],
    [
      'no message of one',
      { error: 'No disk.', sluice: { call: 'c1', status: 'timeout', message: null } },
      { status: 'error', message: 'No disk.' },
    ],
  ])('does not make %s of a tool', (_what, data, own) => {
    const session = read(call, result(data))
    expect(codesOf(session)).toEqual(['carried_contradicts /data/sluice'])
    expect(session.entries[1]?.events[0]).toMatchObject({ kind: 'tool-result', call: 'c1', ...own })
  })

  test('may be an event for which the dialect has no field', () => {
    const session = read({ type: 'log', data: { level: 'info', message: 'May I?', sluice: question } })
    expect(codesOf(session)).toEqual([])
    expect(session.entries[0]?.events.at(-1)).toMatchObject(question)
  })
})
