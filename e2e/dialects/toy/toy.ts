import type { CopyingView } from '../../../packages/protocol/src/copying-encoder.ts'
import type { Dialect } from '../../../packages/protocol/src/dialect.ts'
import { isJsonObject } from '../../../packages/protocol/src/json.ts'
import { checker, toyDecoder } from './decode.ts'
import { dialectId, payloads, toyEncoder } from './encode.ts'
import { toyRules } from './sequence.ts'
import { doneSchema, noteSchema, saySchema } from './wire.ts'

/** The smallest dialect that passes every test: text, notes and an end. */
export const toy: Dialect<null, CopyingView> = {
  id: dialectId,
  title: 'Toy, version 1',
  supports: {
    sessionIds: false,
    terminal: true,
    eventIds: false,
    timestamps: false,
    ownsQuestionTimers: false,
    payloads,
    kinds: {
      'session-start': 'part',
      'session-end': 'full',
      'state-change': 'carried',
      progress: 'carried',
      message: 'carried',
      'text-delta': 'part',
      'text-end': 'carried',
      'text-reset': 'carried',
      'part-add': 'carried',
      'tool-call': 'part',
      'tool-call-delta': 'none',
      'tool-result': 'part',
      sources: 'carried',
      'question-open': 'carried',
      'question-close': 'carried',
      handoff: 'carried',
      notice: 'full',
      usage: 'carried',
      'state-data': 'carried',
      unknown: 'carried',
    },
  },
  rules: Object.values(toyRules),
  schemas: { say: saySchema, note: noteSchema, done: doneSchema },
  recognizes: (value) =>
    isJsonObject(value) && ['say', 'note', 'done'].some((key) => typeof value[key] === 'string'),
  identify: () => ({}),
  validate: (value) => checker.exactFindings(value),
  decode: toyDecoder,
  encode: toyEncoder,
}
