import Type from 'typebox'
import type { SluiceEvent } from '../events.ts'

const text = Type.String()
const name = Type.String({ minLength: 1 })
const count = Type.Integer({ minimum: 0 })
const anyJson = Type.Unknown()
const anyObject = Type.Record(Type.String(), Type.Unknown())

const agent = Type.Object({
  id: Type.Optional(text),
  kind: Type.Optional(text),
  version: Type.Optional(text),
  name: Type.Optional(text),
  model: Type.Optional(text),
  uri: Type.Optional(text),
  session: Type.Optional(text),
})

const meta = Type.Optional(
  Type.Object({
    id: Type.Optional(text),
    at: Type.Optional(text),
    agent: Type.Optional(agent),
    parent: Type.Optional(text),
    urgency: Type.Optional(Type.Enum(['background', 'normal', 'critical'])),
    summaries: Type.Optional(
      Type.Object({
        terse: Type.Optional(text),
        normal: Type.Optional(text),
        detailed: Type.Optional(text),
        byLanguage: Type.Optional(Type.Record(Type.String(), text)),
      }),
    ),
    localization: Type.Optional(anyObject),
    trace: Type.Optional(text),
    channel: Type.Optional(text),
    implied: Type.Optional(Type.Literal(true)),
    ext: Type.Optional(Type.Record(Type.String(), anyObject)),
  }),
)

const risk = Type.Optional(Type.Enum(['low', 'medium', 'high']))
const channel = Type.Enum(['answer', 'reasoning'])
const ext = Type.Optional(anyObject)

const filePart = Type.Object({
  type: Type.Literal('file'),
  name: Type.Optional(text),
  mediaType: Type.Optional(text),
  inline: Type.Optional(text),
  uri: Type.Optional(text),
  ext,
})
const dataPart = Type.Object({
  type: Type.Literal('data'),
  data: anyJson,
  mediaType: Type.Optional(text),
  ext,
})
const textPart = Type.Object({ type: Type.Literal('text'), text, ext })

/** The schema of each kind of event. docs/protocol.md describes the fields. */
export const eventSchemas = {
  'session-start': Type.Object({
    kind: Type.Literal('session-start'),
    request: Type.Optional(text),
    tools: Type.Optional(Type.Array(text)),
    meta,
  }),
  'session-end': Type.Object({
    kind: Type.Literal('session-end'),
    outcome: Type.Enum(['completed', 'failed', 'cancelled', 'rejected']),
    error: Type.Optional(
      Type.Object({
        category: Type.Optional(Type.Enum(['transient', 'permanent', 'requires_user', 'unknown'])),
        code: Type.Optional(text),
        message: Type.Optional(text),
        recoverable: Type.Optional(Type.Boolean()),
        hint: Type.Optional(text),
      }),
    ),
    by: Type.Optional(text),
    claimedBy: Type.Optional(text),
    durationMs: Type.Optional(Type.Number({ minimum: 0 })),
    meta,
  }),
  'state-change': Type.Object({
    kind: Type.Literal('state-change'),
    from: Type.Optional(text),
    to: text,
    meta,
  }),
  progress: Type.Object({
    kind: Type.Literal('progress'),
    percent: Type.Optional(Type.Number({ minimum: 0, maximum: 100 })),
    step: Type.Optional(Type.Integer()),
    total: Type.Optional(Type.Integer()),
    text: Type.Optional(text),
    etaMs: Type.Optional(Type.Number({ minimum: 0 })),
    meta,
  }),
  message: Type.Object({
    kind: Type.Literal('message'),
    id: text,
    role: Type.Enum(['user', 'agent']),
    parts: Type.Array(Type.Union([textPart, filePart, dataPart])),
    meta,
  }),
  'text-delta': Type.Object({
    kind: Type.Literal('text-delta'),
    output: text,
    take: count,
    text,
    held: Type.Optional(text),
    joins: Type.Optional(Type.Literal(true)),
    position: count,
    channel,
    hint: Type.Optional(Type.Enum(['none', 'word', 'sentence', 'paragraph', 'completion'])),
    contentType: Type.Optional(text),
    language: Type.Optional(text),
    meta,
  }),
  'text-end': Type.Object({
    kind: Type.Literal('text-end'),
    output: text,
    take: count,
    interrupted: Type.Optional(Type.Literal(true)),
    meta,
  }),
  'text-reset': Type.Object({ kind: Type.Literal('text-reset'), output: text, take: count, channel, meta }),
  'part-add': Type.Object({
    kind: Type.Literal('part-add'),
    output: text,
    part: Type.Union([filePart, dataPart]),
    meta,
  }),
  'tool-call': Type.Object({
    kind: Type.Literal('tool-call'),
    call: text,
    tool: text,
    args: Type.Optional(anyJson),
    argsSummary: Type.Optional(text),
    risk,
    irreversible: Type.Optional(Type.Boolean()),
    meta,
  }),
  'tool-call-delta': Type.Object({ kind: Type.Literal('tool-call-delta'), call: text, argsText: text, meta }),
  'tool-result': Type.Object({
    kind: Type.Literal('tool-result'),
    call: text,
    tool: text,
    status: Type.Enum(['success', 'error', 'timeout']),
    result: Type.Optional(anyJson),
    message: Type.Optional(text),
    exitCode: Type.Optional(Type.Integer()),
    durationMs: Type.Optional(Type.Number({ minimum: 0 })),
    meta,
  }),
  sources: Type.Object({ kind: Type.Literal('sources'), items: Type.Array(anyJson), meta }),
  'question-open': Type.Object({
    kind: Type.Literal('question-open'),
    question: Type.Enum(['confirmation', 'clarification', 'authorization']),
    token: name,
    text,
    consequence: Type.Optional(text),
    kinds: Type.Optional(Type.Array(Type.Enum(['freetext', 'yes_no', 'multiple_choice', 'numeric']))),
    choices: Type.Optional(Type.Array(Type.Object({ value: text, label: text }))),
    timeoutMs: Type.Optional(Type.Number({ minimum: 0 })),
    default: Type.Optional(text),
    allowed: Type.Optional(Type.Array(text)),
    risk,
    irreversible: Type.Optional(Type.Boolean()),
    meta,
  }),
  'question-close': Type.Object({
    kind: Type.Literal('question-close'),
    token: name,
    how: Type.Enum(['answered', 'timeout', 'cancelled']),
    decision: Type.Optional(text),
    response: Type.Optional(Type.Union([Type.String(), Type.Number(), Type.Boolean()])),
    by: Type.Optional(text),
    claimedBy: Type.Optional(text),
    meta,
  }),
  handoff: Type.Object({
    kind: Type.Literal('handoff'),
    reason: text,
    target: Type.Enum(['human', 'specialist_agent', 'escalation_queue']),
    uri: Type.Optional(text),
    context: Type.Optional(anyObject),
    meta,
  }),
  notice: Type.Object({
    kind: Type.Literal('notice'),
    level: Type.Enum(['debug', 'info', 'warning', 'error']),
    text,
    code: Type.Optional(text),
    meta,
  }),
  usage: Type.Object({
    kind: Type.Literal('usage'),
    inputTokens: Type.Optional(count),
    outputTokens: Type.Optional(count),
    cachedTokens: Type.Optional(count),
    reasoningTokens: Type.Optional(count),
    cost: Type.Optional(Type.Object({ amount: Type.Number(), currency: text })),
    model: Type.Optional(text),
    meta,
  }),
  'state-data': Type.Object({
    kind: Type.Literal('state-data'),
    snapshot: Type.Optional(anyJson),
    patch: Type.Optional(Type.Array(anyJson)),
    meta,
  }),
  unknown: Type.Object({ kind: Type.Literal('unknown'), type: text, data: anyJson, meta }),
} as const satisfies Record<SluiceEvent['kind'], Type.TSchema>
