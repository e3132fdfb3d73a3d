import { cursorPattern } from '@sluice/protocol'
import { dialects } from '@sluice/protocol/dialects'
import { eventSchemas } from '@sluice/protocol/schemas'
import Type from 'typebox'

/** A count, or the number of an entry. */
export const countSchema = Type.Integer({ minimum: 0 })

/** A point in time. */
export const timeSchema = Type.Number({ description: 'Milliseconds since 1970.' })

/** Any JSON object. */
export const objectSchema = Type.Record(Type.String(), Type.Unknown())

/** The value of an answer to a clarification. */
export const responseSchema = Type.Union([Type.String(), Type.Number(), Type.Boolean()])

export const cursorSchema = Type.String({
  pattern: `^${cursorPattern}$`,
  description: 'A place in the log of a session.',
})

export const sessionIdSchema = Type.String({ pattern: '^sess_[A-Za-z0-9]{1,64}$' })

/** A name in a request. */
export const nameSchema = Type.String({ minLength: 1, maxLength: 512 })

/** The labels that a request may give a session. */
export const labelsSchema = Type.Record(
  Type.String({ pattern: '^[A-Za-z0-9_.-]{1,64}$' }),
  Type.String({ maxLength: 256 }),
  { maxProperties: 32, additionalProperties: false },
)

export const sessionSchema = Type.Object(
  {
    id: sessionIdSchema,
    foreign: Type.Optional(Type.String()),
    context: Type.Optional(Type.String()),
    owner: Type.Optional(Type.String()),
    labels: Type.Record(Type.String(), Type.String()),
    attributes: objectSchema,
    createdAt: timeSchema,
    updatedAt: timeSchema,
    seq: Type.Integer({ minimum: -1, description: 'The number of the last entry; -1 before the first.' }),
    state: Type.Enum(['open', 'waiting', 'ended']),
    status: Type.String(),
    outcome: Type.Optional(eventSchemas['session-end'].properties.outcome),
    questions: countSchema,
    findings: countSchema,
    agent: eventSchemas.unknown.properties.meta.properties.agent,
    dialect: Type.Optional(Type.String()),
    title: Type.Optional(Type.String({ maxLength: 200 })),
  },
  { $id: 'Session' },
)

/** The answer when an input was stored. */
export const takenSchema = Type.Object({ cursor: cursorSchema }, { $id: 'Taken' })

export const frameSchema = Type.Unsafe<unknown>({
  $id: 'Frame',
  type: 'object',
  description: `One event in its dialect. GET /schemas lists the schemas of ${dialects.map(({ id }) => id).join(', ')}.`,
})

/** Frames, each with its cursor. */
export const toCursorFramesSchema = (frame: Type.TSchema) =>
  Type.Array(Type.Object({ cursor: cursorSchema, frame }))
