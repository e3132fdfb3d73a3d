import Type from 'typebox'
import {
  coreContext,
  count,
  idPattern,
  language,
  published,
  semver,
  timestamp,
  uri,
  verbosity,
} from './vocabulary.ts'

/** AAEP §3. Closed: a relay cannot name itself here. */
export const producerSchema = Type.Object(
  {
    agent_id: Type.String({ minLength: 1 }),
    agent_version: Type.Optional(Type.String()),
    agent_name: Type.Optional(Type.String()),
    model: Type.Optional(Type.String()),
    manifest_uri: Type.Optional(uri),
  },
  { additionalProperties: false },
)

/** AAEP §11. */
export const localizationSchema = Type.Object(
  {
    primary_language: Type.Optional(language),
    text_direction: Type.Optional(Type.Enum(['ltr', 'rtl', 'auto'])),
    available_languages: Type.Optional(Type.Array(language, { maxItems: 32, uniqueItems: true })),
    fallback_chain: Type.Optional(Type.Array(language, { maxItems: 16 })),
    script: Type.Optional(Type.String({ pattern: '^[A-Z][a-z]{3}$' })),
    calendar: Type.Optional(Type.String()),
  },
  { additionalProperties: false },
)

const context = Type.Union([
  Type.Literal(coreContext),
  Type.Unsafe<readonly string[]>({
    type: 'array',
    minItems: 1,
    prefixItems: [{ type: 'string', const: coreContext }],
    items: { type: 'string', format: 'uri' },
  }),
])

/** The fields of every event (AAEP §3.2), apart from its type and urgency. */
export const envelopeFields = {
  '@context': context,
  aaep_version: Type.Optional(semver),
  event_id: Type.String({ pattern: idPattern('evt') }),
  session_id: Type.String({ pattern: idPattern('sess') }),
  sequence_number: Type.Optional(count),
  timestamp,
  producer: producerSchema,
  verbosity: Type.Optional(verbosity),
  localization_hints: Type.Optional(localizationSchema),
  correlation_id: Type.Optional(Type.String()),
  extensions: Type.Optional(Type.Record(Type.String(), Type.Record(Type.String(), Type.Unknown()))),
}

export const urgency = Type.Enum(['background', 'normal', 'critical'])

/** What every event has, whatever its type. */
export const envelopeSchema = Type.Object(
  { ...envelopeFields, type: Type.String({ minLength: 1 }), urgency: Type.Optional(urgency) },
  published(
    'envelope',
    'AAEP event envelope',
    'The fields that every AAEP event has, whatever its type; unknown fields pass (AAEP §3.2).',
  ),
)

export type WireEnvelope = Type.Static<typeof envelopeSchema>
export type WireProducer = Type.Static<typeof producerSchema>
