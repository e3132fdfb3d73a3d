import fc from 'fast-check'
import type { Part, SluiceEvent } from '../events.ts'
import type { JsonObject, JsonValue } from '../json.ts'
import { omitUndefined } from '../omit-undefined.ts'

const nasty = [
  '',
  ' ',
  '__proto__',
  'constructor',
  'a b/c:d',
  '\ud83d',
  '\ude00',
  'x\ud83dy',
  '\u0000\u001f\u2028',
  'Ẹ ku àárọ̀. Ṣé o sun re?',
  'مرحبا بالعالم؟ ',
  'สวัสดี ครับ',
  '👨‍👩‍👧‍👦👍🏽 done. ',
  'one\ntwo\r\n\r\nthree',
  'é'.repeat(40),
]

/** Any text that may appear in an event, often an awkward one. */
const anyText: fc.Arbitrary<string> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.constantFrom('Hello', ' world', '. ', 'Dr. ', 'Sentence one. Sentence two! ', '…'),
  },
  { weight: 2, arbitrary: fc.constantFrom(...nasty) },
  { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 12 }) },
)

const bigText = fc.oneof(
  { weight: 60, arbitrary: anyText },
  {
    weight: 1,
    arbitrary: fc
      .tuple(
        fc.constantFrom('a', 'é', '💖', 'e\u0301', '👨‍👩‍👧‍👦', 'word. '),
        fc.integer({ min: 16_000, max: 40_000 }),
      )
      .map(([unit, points]) => unit.repeat(Math.ceil(points / Array.from(unit).length))),
  },
)

const json = fc.jsonValue({ maxDepth: 2 }) as fc.Arbitrary<JsonValue>
const object = fc.dictionary(fc.constantFrom('a', 'b', '__proto__', 'key'), json, {
  maxKeys: 2,
}) as fc.Arbitrary<JsonObject>
const number = fc.integer({ min: 0, max: 100_000_000 })
const risk = fc.constantFrom('low' as const, 'medium' as const, 'high' as const)
const id = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.constantFrom(
      'a',
      'b',
      'out_1',
      'call_1',
      'toolu-x/1',
      'rpl_9',
      'stream_delta',
      'main',
      'answer',
    ),
  },
  { weight: 1, arbitrary: anyText },
)
const tool = fc.oneof(fc.constantFrom('search', 'mcp/srv:run', 'edit_file'), anyText)

const file: fc.Arbitrary<Exclude<Part, { type: 'text' | 'data' }>> = fc.oneof(
  fc.record({
    type: fc.constant('file' as const),
    uri: fc.constant('https://example.org/a.png'),
    name: anyText,
  }),
  fc.record({
    type: fc.constant('file' as const),
    inline: fc.constant('aGk='),
    mediaType: fc.constant('text/plain'),
  }),
)
const data = fc.record({ type: fc.constant('data' as const), data: json })

/** Fields that may be absent, but are never undefined. */
function some(model: Record<string, fc.Arbitrary<unknown>>): fc.Arbitrary<object> {
  return fc.record(model, { requiredKeys: [] })
}

const meta = fc.option(
  some({
    at: fc
      .integer({ min: 1_700_000_000_000, max: 1_700_000_100_000 })
      .map((ms) => new Date(ms).toISOString()),
    agent: some({ id: anyText, kind: anyText, version: anyText, name: anyText, model: anyText }),
    parent: id,
    trace: anyText,
    channel: anyText,
    summaries: some({ terse: anyText, normal: anyText, detailed: anyText }),
  }),
  { nil: undefined, freq: 3 },
)

function event<K extends SluiceEvent['kind']>(
  kind: K,
  required: Record<string, fc.Arbitrary<unknown>>,
  optional: Record<string, fc.Arbitrary<unknown>> = {},
): fc.Arbitrary<SluiceEvent> {
  return fc
    .tuple(fc.record(required), fc.record(optional, { requiredKeys: [] }), meta)
    .map(([a, b, m]) => ({ kind, ...a, ...b, ...omitUndefined({ meta: m }) }) as unknown as SluiceEvent) // built to fit
}

const kinds: Record<SluiceEvent['kind'], { weight: number; arbitrary: fc.Arbitrary<SluiceEvent> }> = {
  'session-start': {
    weight: 1,
    arbitrary: event('session-start', {}, { request: bigText, tools: fc.array(tool, { maxLength: 3 }) }),
  },
  'session-end': {
    weight: 1,
    arbitrary: event(
      'session-end',
      { outcome: fc.constantFrom('completed', 'failed', 'cancelled', 'rejected') },
      {
        error: some({
          category: fc.constantFrom('transient', 'permanent', 'requires_user', 'unknown'),
          code: anyText,
          message: bigText,
          recoverable: fc.boolean(),
          hint: anyText,
        }),
        by: anyText,
        claimedBy: anyText,
        durationMs: number,
      },
    ),
  },
  'state-change': { weight: 2, arbitrary: event('state-change', { to: anyText }, { from: anyText }) },
  progress: {
    weight: 2,
    arbitrary: event(
      'progress',
      {},
      {
        percent: fc.double({ min: 0, max: 100, noNaN: true }),
        step: fc.integer({ min: -2, max: 9 }),
        total: fc.integer({ min: -2, max: 9 }),
        text: bigText,
        etaMs: number,
      },
    ),
  },
  message: {
    weight: 1,
    arbitrary: event('message', {
      id,
      role: fc.constantFrom('user', 'agent'),
      parts: fc.array(
        fc.oneof(
          bigText.map((text) => ({ type: 'text', text })),
          file,
          data,
        ),
        { maxLength: 3 },
      ),
    }),
  },
  'text-delta': {
    weight: 14,
    arbitrary: event(
      'text-delta',
      {
        output: id,
        take: fc.constant(0),
        position: fc.constant(0),
        text: bigText,
        channel: fc.constantFrom('answer', 'answer', 'answer', 'reasoning'),
      },
      {
        hint: fc.constantFrom('none', 'word', 'sentence'),
        contentType: fc.constantFrom('text/plain', 'text/markdown; charset=utf-8'),
        language: fc.constantFrom('en', 'yo-NG', '??'),
      },
    ),
  },
  'text-end': {
    weight: 3,
    arbitrary: event('text-end', { output: id, take: fc.constant(0) }, { interrupted: fc.constant(true) }),
  },
  'text-reset': {
    weight: 2,
    arbitrary: event('text-reset', { output: id, take: fc.constant(0), channel: fc.constant('answer') }),
  },
  'part-add': { weight: 1, arbitrary: event('part-add', { output: id, part: fc.oneof(file, data) }) },
  'tool-call': {
    weight: 3,
    arbitrary: event(
      'tool-call',
      { call: id, tool },
      { args: json, argsSummary: bigText, risk, irreversible: fc.boolean() },
    ),
  },
  'tool-call-delta': { weight: 1, arbitrary: event('tool-call-delta', { call: id, argsText: anyText }) },
  'tool-result': {
    weight: 3,
    arbitrary: event(
      'tool-result',
      { call: id, tool, status: fc.constantFrom('success', 'error', 'timeout') },
      { result: json, message: bigText, exitCode: fc.integer({ min: -1, max: 255 }), durationMs: number },
    ),
  },
  sources: { weight: 1, arbitrary: event('sources', { items: fc.array(json, { maxLength: 2 }) }) },
  'question-open': {
    weight: 2,
    arbitrary: event(
      'question-open',
      {
        question: fc.constantFrom('confirmation', 'clarification', 'authorization'),
        token: id.map((text) => text || 'q'),
        text: bigText,
      },
      {
        consequence: bigText,
        kinds: fc.array(fc.constantFrom('freetext', 'yes_no', 'multiple_choice', 'numeric'), {
          maxLength: 5,
        }),
        choices: fc.array(fc.record({ value: anyText, label: anyText }), { maxLength: 3 }),
        timeoutMs: number,
        default: fc.oneof(fc.constantFrom('accept', 'reject'), anyText),
        allowed: fc.array(anyText, { maxLength: 3 }),
        risk,
        irreversible: fc.boolean(),
      },
    ),
  },
  'question-close': {
    weight: 2,
    arbitrary: event(
      'question-close',
      { token: id.map((text) => text || 'q'), how: fc.constantFrom('answered', 'timeout', 'cancelled') },
      {
        decision: fc.constantFrom('accept', 'reject', 'maybe'),
        response: fc.oneof(anyText, fc.boolean(), fc.integer()),
        by: anyText,
        claimedBy: anyText,
      },
    ),
  },
  handoff: {
    weight: 1,
    arbitrary: event(
      'handoff',
      { reason: bigText, target: fc.constantFrom('human', 'specialist_agent', 'escalation_queue') },
      { uri: fc.oneof(fc.constant('https://example.org/q'), anyText), context: object },
    ),
  },
  notice: {
    weight: 1,
    arbitrary: event(
      'notice',
      { level: fc.constantFrom('debug', 'info', 'warning', 'error'), text: bigText },
      { code: anyText },
    ),
  },
  usage: {
    weight: 1,
    arbitrary: event(
      'usage',
      {},
      {
        inputTokens: number,
        outputTokens: number,
        cachedTokens: number,
        reasoningTokens: number,
        cost: fc.record({ amount: fc.double({ min: 0, max: 9, noNaN: true }), currency: fc.constant('USD') }),
        model: anyText,
      },
    ),
  },
  'state-data': {
    weight: 1,
    arbitrary: fc.oneof(
      event('state-data', { snapshot: json }),
      event('state-data', { patch: fc.array(object, { maxLength: 2 }) }),
    ),
  },
  unknown: { weight: 1, arbitrary: event('unknown', { type: anyText, data: json }) },
}

/** Any event of the model, regardless of order. */
export const anyEvent: fc.Arbitrary<SluiceEvent> = fc.oneof(...Object.values(kinds))

/** The events of a session as they may arrive: in any order, one to three per entry. */
export const anyEntries: fc.Arbitrary<readonly (readonly SluiceEvent[])[]> = fc.array(
  fc.array(anyEvent, { minLength: 1, maxLength: 3 }),
  { minLength: 1, maxLength: 24 },
)
