import type { JsonObject, JsonValue, SluiceEvent } from '@sluice/protocol'
import { expect, test } from 'vitest'
import { replay } from '../testing/replay.ts'
import { mapper } from './map.ts'

const call = (name: string, input: JsonValue, parent: string | null = null): JsonValue => ({
  type: 'assistant',
  parent_tool_use_id: parent,
  message: { id: 'm1', content: [{ type: 'tool_use', id: 't1', name, input }] },
})
const outcome = (block: JsonObject, detail: JsonValue = null): JsonValue => ({
  type: 'user',
  message: { role: 'user', content: [{ type: 'tool_result', tool_use_id: 't1', ...block }] },
  tool_use_result: detail,
})
const plain = { stdout: 'x', stderr: '', interrupted: false }

test.each<[string, string, JsonObject, JsonValue, JsonObject]>([
  ['text', 'Read', { content: 'x' }, null, { status: 'success', result: 'x' }],
  [
    'texts',
    'Agent',
    {
      content: [
        { type: 'text', text: 'x' },
        { type: 'text', text: 'y' },
      ],
    },
    null,
    { status: 'success', result: 'x\ny' },
  ],
  [
    'an image',
    'Read',
    { content: [{ type: 'image', source: { data: 'AA==' } }] },
    null,
    { status: 'success', result: [{ type: 'image', source: { data: 'AA==' } }] },
  ],
  ['nothing', 'Read', {}, null, { status: 'success' }],
  [
    'an error',
    'Read',
    { content: 'Exit code 3', is_error: true },
    null,
    { status: 'error', result: 'Exit code 3' },
  ],
  [
    'a failed command',
    'Bash',
    { content: 'Exit code 3\nout', is_error: true },
    'Error: Exit code 3\nout',
    { status: 'error', result: 'Exit code 3\nout', exitCode: 3 },
  ],
  ['a command', 'Bash', { content: 'x' }, plain, { status: 'success', result: 'x', exitCode: 0 }],
  [
    'a command whose code means something',
    'Bash',
    { content: 'x' },
    { ...plain, returnCodeInterpretation: 'No matches found' },
    { status: 'success', result: 'x' },
  ],
  [
    'a command that runs on',
    'Bash',
    { content: 'x' },
    { ...plain, backgroundTaskId: 'b1' },
    { status: 'success', result: 'x' },
  ],
])('a tool that gave %s', (_, tool, block, detail, expected) => {
  const lines = [call(tool, { a: 1 }), call(tool, { a: 2 }), outcome(block, detail), outcome(block, detail)]
  expect(replay(mapper, lines).events).toEqual([
    { kind: 'tool-call', call: 't1', tool, args: { a: 1 } },
    { kind: 'tool-result', call: 't1', tool, ...expected },
  ])
})

test('a tool on the side of the model is told like any other', () => {
  const content = [
    { type: 'server_tool_use', id: 't1', name: 'web_search', input: { query: 'x' } },
    { type: 'web_search_tool_result', tool_use_id: 't1', content: [{ type: 'web_search_result', url: 'u' }] },
    { type: 'server_tool_use', id: 't2', name: 'web_fetch', input: {} },
    { type: 'web_fetch_tool_result', tool_use_id: 't2', content: { type: 'web_fetch_tool_result_error' } },
  ]
  const { events } = replay(mapper, [{ type: 'assistant', message: { id: 'm1', content } }])
  const states = events.map((event) => (event.kind === 'tool-result' ? event.status : event.kind))
  expect(states).toEqual(['tool-call', 'success', 'tool-call', 'error'])
})

test('what was never called gives nothing', () => {
  expect(replay(mapper, [outcome({ content: 'x' })]).events).toEqual([])
})

test('a plan is told as it is noted, unless it is the plan of another agent', () => {
  const todos = [
    { content: 'Look', status: 'completed' },
    { content: 'Change', status: 'in_progress', activeForm: 'Changing' },
  ]
  const plan: SluiceEvent = {
    kind: 'state-data',
    snapshot: {
      plan: [
        { text: 'Look', status: 'completed' },
        { text: 'Change', status: 'in_progress' },
      ],
    },
  }
  const called = { kind: 'tool-call', call: 't1', tool: 'TodoWrite', args: { todos } }
  expect(replay(mapper, [call('TodoWrite', { todos })]).events).toEqual([called, plan])
  expect(replay(mapper, [call('TodoWrite', { todos }, 't0')]).events).toEqual([
    { ...called, meta: { parent: 't0' } },
  ])
})
