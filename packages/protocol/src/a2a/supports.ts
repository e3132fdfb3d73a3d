import type { DialectSupports } from '../dialect.ts'
import { payloads } from './carried.ts'

/**
 * What both versions can say. A `part` is in the metadata for clients that know it; stock clients see its
 * text.
 */
export const a2aSupports: DialectSupports = {
  sessionIds: true,
  terminal: true,
  eventIds: false,
  timestamps: true,
  ownsQuestionTimers: false,
  payloads,
  kinds: {
    'session-start': 'full',
    'session-end': 'full',
    'state-change': 'part',
    progress: 'carried',
    message: 'full',
    'text-delta': 'full',
    'text-end': 'full',
    'text-reset': 'full',
    'part-add': 'full',
    'tool-call': 'carried',
    'tool-call-delta': 'carried',
    'tool-result': 'carried',
    sources: 'carried',
    'question-open': 'full',
    'question-close': 'part',
    handoff: 'carried',
    notice: 'full',
    usage: 'carried',
    'state-data': 'carried',
    unknown: 'carried',
  },
}
