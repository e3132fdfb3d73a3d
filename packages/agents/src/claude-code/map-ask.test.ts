import type { JsonObject, JsonValue, RunAnswer, SluiceEvent } from '@sluice/protocol'
import { expect, test } from 'vitest'
import { toRequest } from '../testing/replay.ts'
import { mapper } from './map.ts'

const ask = (tool: string, input: JsonObject): JsonValue => ({
  type: 'control_request',
  request_id: 'r1',
  request: { subtype: 'can_use_tool', tool_name: tool, input, tool_use_id: 't1' },
})

/** The events and the written lines after a request and these answers to its questions. */
function play(
  line: JsonValue,
  answers: readonly RunAnswer[],
): { events: readonly SluiceEvent[]; written: JsonValue[] } {
  let state = mapper.initial(toRequest(), { permissions: 'ask', askTimeoutMs: 5000 })
  const events: SluiceEvent[] = []
  const written: JsonValue[] = []
  const take = (mapped: ReturnType<typeof mapper.step> | undefined): void => {
    state = mapped?.state ?? state
    events.push(...(mapped?.events ?? []))
    written.push(...(mapped?.write ?? []).map((text): JsonValue => JSON.parse(text)))
  }
  take(mapper.step(state, line))
  for (const answer of answers) take(mapper.answer?.(state, answer))
  return { events, written }
}

const response = (answer: JsonObject): JsonValue => ({
  type: 'control_response',
  response: { subtype: 'success', request_id: 'r1', response: answer },
})
const input = { command: 'rm SECRET' }

test.each<[string, RunAnswer, JsonObject]>([
  [
    'accepted',
    { token: 'r1', how: 'answered', decision: 'accept' },
    { behavior: 'allow', updatedInput: input },
  ],
  [
    'rejected',
    { token: 'r1', how: 'answered', decision: 'reject' },
    { behavior: 'deny', message: 'A person was asked and refused this.' },
  ],
  [
    'answered by a word that is not known',
    { token: 'r1', how: 'answered', decision: 'perhaps' },
    { behavior: 'deny', message: 'A person was asked and refused this.' },
  ],
  [
    'not answered',
    { token: 'r1', how: 'timeout', decision: 'reject' },
    { behavior: 'deny', message: 'A person was asked and did not answer in time, so this is refused.' },
  ],
])('a question about a tool that is %s is taken back once', (_, answer, answered) => {
  const { events, written } = play(ask('Bash', input), [answer, answer])
  expect(written).toEqual([response(answered)])
  expect(JSON.stringify(events)).not.toContain('SECRET')
})

test.each([
  ['Bash', 'Claude Code asks to use Bash.', 'medium'],
  ['mcp__files__read', 'Claude Code asks to use mcp__files__read.', 'medium'],
  ['Grep', 'Claude Code asks to use Grep.', 'low'],
  ['rm -rf / \u202e', 'Claude Code asks to use a tool.', 'medium'],
])('a question about %j names the tool and its risk', (tool, text, risk) => {
  expect(play(ask(tool, input), []).events).toEqual([
    {
      kind: 'question-open',
      question: 'confirmation',
      token: 'r1',
      text,
      risk,
      default: 'reject',
      allowed: ['accept', 'reject'],
      timeoutMs: 5000,
      meta: { parent: 't1' },
    },
  ])
})

const questions = [
  { question: 'Which color?', options: [{ label: 'Red', description: 'warm' }, { label: 'Blue' }] },
  { question: 'Why?', options: [] },
]
const answer = (token: string, value: string): RunAnswer => ({ token, how: 'answered', response: value })

test('questions to a person are asked each by itself, and taken back together', () => {
  const { events, written } = play(ask('AskUserQuestion', { questions }), [
    answer('r1.2', 'It is nice.'),
    answer('r1.1', 'Red'),
  ])
  expect(events).toMatchObject([
    {
      question: 'clarification',
      token: 'r1.1',
      text: 'Which color?',
      kinds: ['multiple_choice', 'freetext'],
      choices: [
        { value: 'Red', label: 'Red: warm' },
        { value: 'Blue', label: 'Blue' },
      ],
    },
    { question: 'clarification', token: 'r1.2', text: 'Why?', kinds: ['freetext'] },
  ])
  expect(written).toEqual([
    response({
      behavior: 'allow',
      updatedInput: { questions, answers: { 'Which color?': 'Red', 'Why?': 'It is nice.' } },
    }),
  ])
})

test('one question that nobody answers closes the others', () => {
  const { events, written } = play(ask('AskUserQuestion', { questions }), [
    { token: 'r1.1', how: 'timeout' },
    answer('r1.2', 'late'),
  ])
  expect(events.slice(2)).toEqual([{ kind: 'question-close', token: 'r1.2', how: 'cancelled' }])
  expect(written).toMatchObject([{ response: { response: { behavior: 'deny' } } }])
})

test.each<[string, JsonObject]>([
  ['no questions', {}],
  ['questions of another shape', { questions: [7, { question: '' }, 'Why?'] }],
])('a tool that asks a person %s is refused at once', (_, odd) => {
  const { events, written } = play(ask('AskUserQuestion', odd), [])
  expect(events).toEqual([])
  expect(written).toEqual([
    response({ behavior: 'deny', message: 'Nobody can be asked here. Go on without an answer.' }),
  ])
})

test('no message is taken where nobody is asked', () => {
  const state = mapper.initial(toRequest(), { permissions: 'deny', askTimeoutMs: 5000 })
  expect(mapper.message?.(state, 'more')).toBeUndefined()
})
