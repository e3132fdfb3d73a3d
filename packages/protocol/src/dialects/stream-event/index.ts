import type { Dialect } from '../../dialect.ts'
import { isJsonObject } from '../../json.ts'
import { checker, knownTypes, streamEventDecoder } from './decode.ts'
import { type StreamEventView, streamEventEncoder } from './encode.ts'
import { dialectId } from './kept.ts'
import { payloads } from './payloads.ts'
import { streamEventRules } from './sequence.ts'
import type { StreamEventStream } from './stream.ts'
import {
  answerChunkSchema,
  errorSchema,
  finalAnswerSchema,
  logSchema,
  sourcesSchema,
  streamEventSchema,
  thinkingSchema,
  toolCallSchema,
  toolResultSchema,
} from './wire.ts'

/** llm-common's StreamEvent: a type and its data. */
export const streamEvent: Dialect<StreamEventStream, StreamEventView> = {
  id: dialectId,
  title: 'llm-common StreamEvent, version 1',
  supports: {
    sessionIds: false,
    terminal: false,
    eventIds: false,
    timestamps: false,
    ownsQuestionTimers: false,
    payloads,
    kinds: {
      'session-start': 'carried',
      'session-end': 'carried',
      'state-change': 'carried',
      progress: 'carried',
      message: 'carried',
      'text-delta': 'full',
      'text-end': 'full',
      'text-reset': 'carried',
      'part-add': 'carried',
      'tool-call': 'full',
      'tool-call-delta': 'carried',
      'tool-result': 'full',
      sources: 'full',
      'question-open': 'carried',
      'question-close': 'carried',
      handoff: 'carried',
      notice: 'full',
      usage: 'carried',
      'state-data': 'carried',
      unknown: 'full',
    },
  },
  rules: Object.values(streamEventRules),
  schemas: {
    'stream-event': streamEventSchema,
    log: logSchema,
    thinking: thinkingSchema,
    tool_call: toolCallSchema,
    tool_result: toolResultSchema,
    answer_chunk: answerChunkSchema,
    final_answer: finalAnswerSchema,
    sources: sourcesSchema,
    error: errorSchema,
  },
  recognizes(value) {
    if (!isJsonObject(value) || typeof value['type'] !== 'string') return false
    const { type } = value
    if (type === 'done' && Object.keys(value).length === 1) return true
    if (!('data' in value)) return false
    // Parts of the AI SDK have types `data-…` and a `data` too.
    return knownTypes.has(type) || (Object.keys(value).length === 2 && !type.startsWith('data-'))
  },
  identify: () => ({}),
  validate: (value) => checker.exactFindings(value),
  decode: streamEventDecoder,
  encode: streamEventEncoder,
}
