import Type from 'typebox'
import { envelopeFields, urgency } from './envelope.ts'
import {
  anyObject,
  boundary,
  contentTypePattern,
  count,
  errorCodePattern,
  idPattern,
  language,
  maxChunk,
  maxTerse,
  maxText,
  maxTimeoutSeconds,
  milliseconds,
  published,
  reasonPattern,
  replyToken,
  riskLevel,
  text,
  textOrEmpty,
  toolPattern,
  uri,
} from './vocabulary.ts'

const summaries = {
  summary_terse: Type.Optional(text(maxTerse)),
  summary_normal: Type.Optional(text(maxText)),
  summary_detailed: Type.Optional(text(maxText)),
}
const neededSummary = { ...summaries, summary_normal: text(maxText) }

const tool = Type.String({ pattern: toolPattern })
const callId = Type.Optional(Type.String({ pattern: idPattern('call') }))
const duration = Type.Optional(milliseconds)

function event<const N extends string, F extends Type.TProperties>(
  name: N,
  { says, conditions }: { readonly says: string; readonly conditions?: object },
  fields: F,
) {
  return Type.Object(
    {
      ...envelopeFields,
      type: Type.Literal(`aaep:${name}`),
      urgency: Type.Optional(urgency),
      ...fields,
    },
    { ...published(name, `AAEP ${name}`, says), ...conditions },
  )
}

/** AAEP §6; Sluice is stricter (`unsafe_default`). */
const safeDefault = {
  if: {
    properties: { irreversible: { const: true }, risk_level: { enum: ['medium', 'high'] } },
    required: ['irreversible', 'risk_level'],
  },
  // biome-ignore lint/suspicious/noThenProperty: JSON Schema's own keyword.
  then: { properties: { default_decision: { const: 'reject' } } },
}

/** Events that a person must hear about immediately are marked (AAEP §3). */
const critical = { urgency: Type.Literal('critical') }

/** The twelve core events by name (AAEP §4). Open: unknown fields pass. */
export const coreEventSchemas = {
  'agent.session.started': event(
    'agent.session.started',
    { says: 'A session begins; always its first event (AAEP §4.1.1).' },
    {
      ...neededSummary,
      expected_duration_ms: duration,
      requested_by: Type.Optional(text(256)),
      request_text: Type.Optional(textOrEmpty(maxText)),
      tools_available: Type.Optional(Type.Array(text(256), { maxItems: 256, uniqueItems: true })),
    },
  ),
  'agent.session.completed': event(
    'agent.session.completed',
    { says: 'A session ends as it should; nothing follows (AAEP §4.1.2).' },
    {
      ...neededSummary,
      duration_ms: duration,
      tool_invocations_count: Type.Optional(count),
      output_summary: Type.Optional(textOrEmpty(maxText)),
      result_uri: Type.Optional(uri),
    },
  ),
  'agent.session.errored': event(
    'agent.session.errored',
    { says: 'A session ends because something failed; nothing follows (AAEP §4.1.3).' },
    {
      ...neededSummary,
      ...critical,
      error_category: Type.Enum(['transient', 'permanent', 'requires_user', 'unknown']),
      error_code: Type.Optional(Type.String({ pattern: errorCodePattern })),
      error_uri: Type.Optional(uri),
      recoverable: Type.Optional(Type.Boolean()),
      remediation_hint: Type.Optional(text(maxTerse)),
    },
  ),
  'agent.session.cancelled': event(
    'agent.session.cancelled',
    { says: 'A session is broken off, and with it every open question (AAEP §4.1.4).' },
    {
      ...neededSummary,
      cancelled_by: Type.Enum(['user', 'producer', 'timeout', 'system']),
      cancellation_reason: Type.Optional(Type.String({ pattern: reasonPattern })),
      partial_result: Type.Optional(textOrEmpty(maxText)),
    },
  ),
  'agent.state.changed': event(
    'agent.state.changed',
    { says: 'The agent goes from one state to another (AAEP §4.2.1).' },
    {
      ...summaries,
      from_state: text(64),
      to_state: text(64),
      expected_duration_ms: duration,
    },
  ),
  'agent.progress.updated': event(
    'agent.progress.updated',
    { says: 'How far the work has come (AAEP §4.2.2).' },
    {
      ...summaries,
      progress: Type.Object(
        {
          percent: Type.Optional(Type.Number({ minimum: 0, maximum: 100 })),
          step: Type.Optional(Type.Integer({ minimum: 1 })),
          total_steps: Type.Optional(Type.Integer({ minimum: 1 })),
          description: Type.Optional(text(maxTerse)),
        },
        { additionalProperties: false, minProperties: 1 },
      ),
      eta_ms: duration,
    },
  ),
  'agent.tool.invoked': event(
    'agent.tool.invoked',
    { says: 'The agent is about to use a tool; sent before the tool has any effect (AAEP §4.3.1).' },
    {
      ...neededSummary,
      tool,
      description: Type.Optional(text(maxTerse)),
      args_summary: Type.Optional(textOrEmpty(maxText)),
      expected_duration_ms: duration,
      risk_level: Type.Optional(riskLevel),
      irreversible: Type.Optional(Type.Boolean()),
      tool_call_id: callId,
    },
  ),
  'agent.tool.completed': event(
    'agent.tool.completed',
    { says: 'A tool has ended, well or not; one for each invocation (AAEP §4.3.2).' },
    {
      ...summaries,
      tool,
      status: Type.Enum(['success', 'error', 'timeout']),
      tool_call_id: callId,
      duration_ms: duration,
      error_message: Type.Optional(text(maxTerse)),
    },
  ),
  'agent.output.streaming': event(
    'agent.output.streaming',
    {
      says: 'A piece of the text that the user is meant to get; exactly one piece of an output is its last (AAEP §4.3.3).',
    },
    {
      chunk: textOrEmpty(maxChunk),
      position: count,
      complete: Type.Boolean(),
      coalesce_hint: Type.Optional(boundary),
      output_id: Type.Optional(Type.String({ pattern: idPattern('out') })),
      content_type: Type.Optional(Type.String({ pattern: contentTypePattern })),
      language: Type.Optional(language),
    },
  ),
  'agent.awaiting.confirmation': event(
    'agent.awaiting.confirmation',
    {
      says: 'The agent waits until somebody allows or forbids an action (AAEP §4.4.1, §6).',
      conditions: safeDefault,
    },
    {
      ...summaries,
      ...critical,
      action: text(maxText),
      consequence: text(maxText),
      reply_token: replyToken,
      timeout_seconds: Type.Integer({ minimum: 1, maximum: maxTimeoutSeconds }),
      default_decision: Type.Enum(['accept', 'reject']),
      risk_level: Type.Optional(riskLevel),
      irreversible: Type.Optional(Type.Boolean()),
      reversibility: Type.Optional(Type.Enum(['reversible', 'reversible_with_effort', 'irreversible'])),
      allowed_replies: Type.Optional(
        Type.Array(Type.String(), { minItems: 1, maxItems: 32, uniqueItems: true }),
      ),
      extra_context: Type.Optional(anyObject),
    },
  ),
  'agent.awaiting.clarification': event(
    'agent.awaiting.clarification',
    { says: 'The agent waits for an answer to a question (AAEP §4.4.2, §6).' },
    {
      ...summaries,
      ...critical,
      question: text(maxText),
      reply_token: replyToken,
      timeout_seconds: Type.Integer({ minimum: 1, maximum: maxTimeoutSeconds }),
      accepted_response_kinds: Type.Optional(
        Type.Array(Type.Enum(['freetext', 'yes_no', 'multiple_choice', 'numeric']), {
          minItems: 1,
          maxItems: 4,
        }),
      ),
      choices: Type.Optional(
        Type.Array(Type.Object({ value: text(256), label: text(1024) }, { additionalProperties: false }), {
          minItems: 2,
          maxItems: 32,
        }),
      ),
      context: Type.Optional(text(maxTerse)),
      default_response: Type.Optional(textOrEmpty(maxTerse)),
    },
  ),
  'agent.handoff.requested': event(
    'agent.handoff.requested',
    { says: 'The agent asks a person, another agent or a queue to take over (AAEP §4.4.3).' },
    {
      ...summaries,
      ...critical,
      reason: text(maxText),
      target_kind: Type.Enum(['human', 'specialist_agent', 'escalation_queue']),
      target_uri: Type.Optional(uri),
      packaged_context: Type.Optional(anyObject),
      urgency_for_handoff: Type.Optional(Type.Enum(['low', 'medium', 'high'])),
    },
  ),
}

export type CoreEventName = keyof typeof coreEventSchemas
/** A core event on the wire. */
export type WireEvent<N extends CoreEventName> = Type.Static<(typeof coreEventSchemas)[N]>
