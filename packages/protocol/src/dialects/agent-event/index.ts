import type { Dialect } from '../../dialect.ts'
import { isJsonObject } from '../../json.ts'
import { agentEventDecoder } from './decode.ts'
import { type AgentEventView, agentEventEncoder } from './encode.ts'
import { dialectId } from './kept.ts'
import { payloads } from './payloads.ts'
import { validateFrame } from './read-frame.ts'
import { agentEventRules } from './sequence.ts'
import type { AgentEventStream } from './stream.ts'
import {
  completionErrorSchema,
  completionOkSchema,
  errorSchema,
  sessionFacetSchema,
  statusSchema,
  textOutputSchema,
  toolCallSchema,
  toolResultSchema,
  toolsFacetSchema,
  unknownSchema,
} from './wire.ts'

/** The event envelope of the Universal Agent API, with the completion as its last line. */
export const agentEvent: Dialect<AgentEventStream, AgentEventView> = {
  id: dialectId,
  title: 'Universal Agent API event envelope',
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
      message: 'part',
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
      unknown: 'part',
    },
  },
  rules: Object.values(agentEventRules),
  schemas: {
    TextOutput: textOutputSchema,
    ToolCall: toolCallSchema,
    ToolResult: toolResultSchema,
    Status: statusSchema,
    Error: errorSchema,
    Unknown: unknownSchema,
    'completion-ok': completionOkSchema,
    'completion-error': completionErrorSchema,
    'tools-facet': toolsFacetSchema,
    'session-facet': sessionFacetSchema,
  },
  recognizes(value) {
    if (!isJsonObject(value)) return false
    if (isJsonObject(value['completion']))
      return 'ok' in value['completion'] || 'error' in value['completion']
    return typeof value['kind'] === 'string' && ('agent_kind' in value || 'agentKind' in value)
  },
  identify: () => ({}),
  validate: validateFrame,
  decode: agentEventDecoder,
  encode: agentEventEncoder,
}
