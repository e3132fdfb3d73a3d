import type { JsonValue, SluiceEvent } from '@sluice/protocol'
import { expect, test } from 'vitest'
import { replay } from '../testing/replay.ts'
import { mapper } from './map.ts'

const start = (id: string, parent: string | null = null): JsonValue => ({
  type: 'stream_event',
  parent_tool_use_id: parent,
  event: { type: 'message_start', message: { id } },
})
const piece = (index: number, text: string, parent: string | null = null): JsonValue => ({
  type: 'stream_event',
  parent_tool_use_id: parent,
  event: { type: 'content_block_delta', index, delta: { type: 'text_delta', text } },
})
const thought = (index: number, thinking: string): JsonValue => ({
  type: 'stream_event',
  event: { type: 'content_block_delta', index, delta: { type: 'thinking_delta', thinking } },
})
const stop = (index: number): JsonValue => ({
  type: 'stream_event',
  event: { type: 'content_block_stop', index },
})
const text = (value: string): JsonValue => ({ type: 'text', text: value })
const whole = (id: string | null, blocks: readonly JsonValue[], parent: string | null = null): JsonValue => ({
  type: 'assistant',
  parent_tool_use_id: parent,
  message: { id, content: blocks },
})
const call: JsonValue = { type: 'tool_use', id: 't1', name: 'Read', input: {} }

/** An event as a word: a piece of text, its end, or the tool of a call. */
function toWord(event: SluiceEvent): string {
  if (event.kind === 'text-delta') return `${event.output}=${event.text}`
  if (event.kind === 'text-end') return `${event.output}${event.interrupted === true ? '!' : '.'}`
  if (event.kind === 'text-reset') return `${event.output}<`
  return event.kind === 'tool-call' ? event.call : event.kind
}

test.each<[string, readonly JsonValue[], string]>([
  [
    'pieces and the whole',
    [start('m'), piece(0, 'a'), piece(0, 'b'), whole('m', [text('ab')]), stop(0)],
    'm=a m=b m.',
  ],
  ['the whole twice', [whole('m', [text('ab')]), whole('m', [text('ab')])], 'm=ab m.'],
  ['a start without pieces', [start('m'), whole('m', [text('ab')])], 'm=ab m.'],
  ['pieces that lack an end', [start('m'), piece(0, 'a'), whole('m', [text('abc')])], 'm=a m=bc m.'],
  ['pieces that were otherwise', [start('m'), piece(0, 'x'), whole('m', [text('ab')])], 'm=x m< m=ab m.'],
  ['pieces that never become whole', [start('m'), piece(0, 'a')], 'm=a m!'],
  ['pieces that stop', [start('m'), piece(0, 'a'), stop(0)], 'm=a m.'],
  ['pieces without a start', [piece(0, 'a'), piece(0, 'b'), stop(0)], 'message-1=a message-1=b message-1.'],
  ['empty ones', [start('m'), piece(0, ''), whole('m', [text('')])], ''],
  [
    'a try that was given up',
    [start('m'), piece(0, 'a'), start('n'), piece(0, 'ab'), whole('n', [text('ab')])],
    'm=a m! n=ab n.',
  ],
  [
    'several texts of a message, each its own',
    [start('m'), piece(0, 'a'), whole('m', [text('a')]), piece(2, 'b'), whole('m', [text('b')])],
    'm=a m. m.2=b m.2.',
  ],
  ['texts around a tool', [whole('m', [text('a'), call, text('b')])], 'm=a m. t1 m.2=b m.2.'],
  [
    'thoughts apart from the answer',
    [
      start('m'),
      thought(0, 'x'),
      whole('m', [{ type: 'thinking', thinking: 'x' }]),
      piece(1, 'a'),
      whole('m', [text('a')]),
    ],
    'm.thinking=x m.thinking. m=a m.',
  ],
  ['thoughts that nobody may see', [whole('m', [{ type: 'redacted_thinking', data: 'x' }])], ''],
  [
    'messages without a name',
    [whole(null, [text('a')]), whole(null, [text('a')])],
    'message-1=a message-1. message-2=a message-2.',
  ],
  [
    'a message that comes late',
    [
      start('m'),
      piece(0, 'a'),
      stop(0),
      start('n'),
      piece(0, 'b'),
      whole('m', [text('a')]),
      whole('n', [text('b')]),
    ],
    'm=a m. n=b n.',
  ],
  [
    'agents that write at the same time',
    [
      start('m'),
      start('n', 't1'),
      piece(0, 'a'),
      piece(0, 'b', 't1'),
      piece(0, 'c'),
      whole('n', [text('b')], 't1'),
      whole('m', [text('ac')]),
    ],
    'm=a n=b m=c m. n.',
  ],
])('%s', (_, lines, words) => {
  const { events } = replay(mapper, lines)
  expect(events.map(toWord).join(' ')).toBe(words)
})

test('texts of an agent that was started have the call as their parent', () => {
  const { events } = replay(mapper, [start('n', 't1'), piece(0, 'b', 't1'), whole('n', [text('b')], 't1')])
  expect(events).toMatchObject([
    { kind: 'text-delta', meta: { parent: 't1' } },
    { kind: 'text-end', meta: { parent: 't1' } },
  ])
})

test.each<[string, readonly JsonValue[], string]>([
  ['is told where nothing was said', [], 'message-1=Total: 1 message-1.'],
  ['is not told again', [whole('m', [text('Total: 1')])], 'm=Total: 1 m.'],
  ['is not told where something else was said', [whole('m', [text('Hello')])], 'm=Hello m.'],
  [
    'is told where only another agent spoke',
    [whole('n', [text('x')], 't1')],
    'n=x n. message-1=Total: 1 message-1.',
  ],
])('the text of a result %s', (_, lines, words) => {
  const result = { type: 'result', subtype: 'success', is_error: false, result: 'Total: 1' }
  expect(
    replay(mapper, [...lines, result])
      .events.map(toWord)
      .join(' '),
  ).toBe(words)
})
