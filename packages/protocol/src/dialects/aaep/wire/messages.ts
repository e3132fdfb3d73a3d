import Type from 'typebox'
import { producerSchema } from './envelope.ts'
import {
  anyObject,
  boundary,
  coreContext,
  language,
  maxText,
  published,
  replyToken,
  semver,
  subscriptionId,
  text,
  timestamp,
  uri,
  verbosity,
} from './vocabulary.ts'

const conformanceLevel = Type.Union([Type.Literal(1), Type.Literal(2), Type.Literal(3)])

/** AAEP §5. Members that are not listed must be objects under the prefix of an extension. */
const capabilities = Type.Object(
  {
    max_events_per_second: Type.Optional(Type.Integer({ minimum: 1, maximum: 100_000 })),
    preferred_verbosity: Type.Optional(verbosity),
    languages: Type.Optional(Type.Array(language, { minItems: 1, maxItems: 32, uniqueItems: true })),
    supports_confirmation_reply: Type.Optional(Type.Boolean()),
    supports_clarification_reply: Type.Optional(Type.Boolean()),
    coalesce_boundaries: Type.Optional(Type.Array(boundary, { minItems: 1, maxItems: 5, uniqueItems: true })),
    event_filters: Type.Optional(
      Type.Object(
        {
          include: Type.Optional(Type.Array(text(256))),
          exclude: Type.Optional(Type.Array(text(256))),
        },
        { additionalProperties: false },
      ),
    ),
    supported_conformance_levels: Type.Optional(
      Type.Array(conformanceLevel, { minItems: 1, maxItems: 3, uniqueItems: true }),
    ),
    supported_extensions: Type.Optional(Type.Array(uri, { maxItems: 64, uniqueItems: true })),
    cognitive_load: Type.Optional(Type.Enum(['low', 'medium', 'high'])),
    pace_wpm: Type.Optional(Type.Integer({ minimum: 50, maximum: 1000 })),
    accept_signed_manifests_only: Type.Optional(Type.Boolean()),
  },
  { additionalProperties: anyObject },
)

function message<const N extends string, F extends Type.TProperties>(name: N, says: string, fields: F) {
  return Type.Object(
    { type: Type.Literal(name), ...fields },
    { ...published(name, `AAEP ${name}`, says), additionalProperties: false },
  )
}

const reply = {
  reply_token: replyToken,
  subscription_id: subscriptionId,
  timestamp,
  decided_by: Type.Optional(text(256)),
  correlation_id: Type.Optional(Type.String()),
}

/**
 * Messages that travel next to the events, by type: the handshake (AAEP §5) and the replies (AAEP §6).
 * Closed.
 */
export const messageSchemas = {
  'subscription.request': message('subscription.request', 'A subscriber asks for events (AAEP §5).', {
    aaep_version: semver,
    subscriber_id: text(256),
    capabilities,
    subscriber_name: Type.Optional(Type.String({ maxLength: 256 })),
    subscriber_version: Type.Optional(Type.String({ maxLength: 64 })),
    subscriber_manifest_uri: Type.Optional(uri),
    correlation_id: Type.Optional(Type.String()),
    extensions: Type.Optional(Type.Record(Type.String(), anyObject)),
  }),
  'subscription.accepted': message(
    'subscription.accepted',
    'The producer agrees and says on which terms (AAEP §5).',
    {
      subscription_id: subscriptionId,
      aaep_version: semver,
      producer: producerSchema,
      honored_capabilities: capabilities,
      manifest_uri: Type.Optional(uri),
      signed_manifest: Type.Optional(
        Type.String({ pattern: '^[A-Za-z0-9_-]+\\.[A-Za-z0-9_-]+\\.[A-Za-z0-9_-]+$' }),
      ),
      negotiation_notes: Type.Optional(Type.String({ maxLength: 4096 })),
    },
  ),
  'subscription.rejected': message(
    'subscription.rejected',
    'The producer refuses a subscription and says why (AAEP §5).',
    {
      reason_code: Type.Enum([
        'version_unsupported',
        'manifest_signature_required',
        'capabilities_incompatible',
        'rate_limit',
        'authentication_required',
        'authorization_denied',
        'transport_unavailable',
        'unknown',
      ]),
      reason_message: text(4096),
      retry_after_seconds: Type.Optional(Type.Integer({ minimum: 0, maximum: 86_400 })),
      alternative_manifest_uri: Type.Optional(uri),
    },
  ),
  'subscription.renegotiate': message(
    'subscription.renegotiate',
    'New terms for a subscription; what is left out stays as it was (AAEP §5).',
    { subscription_id: subscriptionId, capabilities },
  ),
  'subscription.close': message(
    'subscription.close',
    'Either side ends a subscription (AAEP §5). Reason codes are not enumerated.',
    {
      subscription_id: subscriptionId,
      reason_code: Type.Optional(text(256)),
      reason_message: Type.Optional(text(4096)),
    },
  ),
  'confirmation.reply': message('confirmation.reply', 'Allows or forbids what was asked (AAEP §6).', {
    ...reply,
    decision: Type.Enum(['accept', 'reject']),
    decision_rationale: Type.Optional(text(4096)),
    modified_action: Type.Optional(anyObject),
  }),
  'clarification.reply': message('clarification.reply', 'Answers a question of the agent (AAEP §6).', {
    ...reply,
    response: Type.Union([text(maxText), Type.Boolean(), Type.Number()]),
    confidence: Type.Optional(Type.Number({ minimum: 0, maximum: 1 })),
  }),
}

/** AAEP §5.10. Open, because the specification gives it no schema. */
export const manifestSchema = Type.Object(
  {
    '@context': Type.Union([
      Type.Literal(coreContext),
      Type.Unsafe<readonly string[]>({
        type: 'array',
        minItems: 1,
        prefixItems: [{ type: 'string', const: coreContext }],
        items: { type: 'string', format: 'uri' },
      }),
    ]),
    type: Type.Literal('aaep:producer.manifest'),
    agent_id: Type.String({ minLength: 1 }),
    agent_version: Type.Optional(Type.String()),
    agent_name: Type.Optional(Type.String()),
    aaep_versions_supported: Type.Array(semver, { minItems: 1 }),
    conformance_levels_supported: Type.Optional(Type.Array(conformanceLevel)),
    transports_supported: Type.Optional(Type.Array(Type.String())),
    languages_supported: Type.Optional(Type.Array(language)),
    event_types_emitted: Type.Optional(Type.Array(Type.String())),
    extensions_supported: Type.Optional(Type.Array(Type.String())),
    default_verbosity: Type.Optional(verbosity),
    max_concurrent_subscriptions: Type.Optional(Type.Integer({ minimum: 0 })),
    contact: Type.Optional(Type.String()),
  },
  published('producer.manifest', 'AAEP producer manifest', 'What a producer can do (AAEP §5.10).'),
)

type MessageName = keyof typeof messageSchemas
export type WireMessage<N extends MessageName> = Type.Static<(typeof messageSchemas)[N]>
