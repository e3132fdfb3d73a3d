import Type from 'typebox'
import { eventSchemas } from '../../schemas/event-schema.ts'

/** The version of this wire format. A reader refuses a newer version. */
export const sluiceVersion = 1

const finding = Type.Object({
  code: Type.String(),
  path: Type.String(),
  message: Type.String(),
  rule: Type.String(),
})

const entryFields = {
  v: Type.Literal(sluiceVersion),
  session: Type.String({ pattern: '^sess_[A-Za-z0-9]{1,64}$' }),
  foreign: Type.Optional(Type.String()),
  context: Type.Optional(Type.String()),
  seq: Type.Integer({ minimum: 0 }),
  at: Type.Number({ minimum: 0 }),
  source: Type.Object({
    dialect: Type.String({ minLength: 1 }),
    producer: Type.Optional(Type.String()),
    subject: Type.Optional(Type.String()),
    trace: Type.Optional(Type.String()),
  }),
  direction: Type.Enum(['event', 'input', 'system']),
  raw: Type.Optional(Type.String()),
  clean: Type.Boolean(),
  diagnostics: Type.Array(finding),
}

const anyEvent = Type.Union(Object.values(eventSchemas))

/** docs/protocol.md, "The entry". */
export const entrySchema = Type.Object(
  { ...entryFields, events: Type.Array(anyEvent) },
  {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    $id: 'urn:sluice:schema:sluice:entry',
    title: 'Sluice entry',
    description:
      'One wire event in the log of a session, as received, checked and understood (docs/protocol.md).',
  },
)

/** The same except for the events: the schema of its kind checks each of them. */
export const entryHeadSchema = Type.Object({ ...entryFields, events: Type.Array(Type.Unknown()) })

const publishedFields = {
  v: Type.Optional(Type.Literal(sluiceVersion)),
  session: Type.Optional(Type.String()),
  foreign: Type.Optional(Type.String()),
  context: Type.Optional(Type.String()),
}

/** The least that a producer must send: the events. Everything else is filled in. */
export const publishedSchema = Type.Object(
  { ...publishedFields, events: Type.Array(anyEvent, { minItems: 1 }) },
  {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    $id: 'urn:sluice:schema:sluice:published',
    title: 'Sluice entry to publish',
    description: 'The least that a producer sends: its events (docs/protocol.md).',
  },
)

export const publishedHeadSchema = Type.Object({
  ...publishedFields,
  events: Type.Array(Type.Unknown(), { minItems: 1 }),
})

export const eventWireSchemas = Object.fromEntries(
  Object.entries(eventSchemas).map(([kind, schema]) => [
    `event.${kind}`,
    {
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      $id: `urn:sluice:schema:sluice:event.${kind}`,
      title: `Sluice event ${kind}`,
      description: `The event kind ${kind} (docs/protocol.md).`,
      ...schema,
    },
  ]),
)

export type WireEntry = Type.Static<typeof entrySchema>
