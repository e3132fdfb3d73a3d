import { maxCursorCharacters, SluiceError } from '@sluice/protocol'
import Type from 'typebox'
import { Compile } from 'typebox/schema'
import { answerSchema, cancelSchema, messageSchema } from '../routes/inputs.ts'
import { labelsSchema } from '../schemas.ts'

const ref = Type.String({ minLength: 1, maxLength: 128 })
const session = Type.String({ minLength: 1, maxLength: 512 })
const agent = Type.Optional(Type.String({ maxLength: 512 }))
const dialect = Type.Optional(Type.String({ maxLength: 64 }))

/** The messages that a client may send (docs/http-api.md, WebSocket). */
const schemas = {
  subscribe: Type.Object({
    type: Type.Literal('subscribe'),
    ref,
    session,
    agent,
    dialect,
    after: Type.Optional(Type.String({ maxLength: maxCursorCharacters })),
    coalesce: Type.Optional(Type.String({ maxLength: 16 })),
  }),
  watch: Type.Object({
    type: Type.Literal('watch'),
    ref,
    q: Type.Optional(Type.String({ maxLength: 512 })),
    state: Type.Optional(Type.Enum(['open', 'waiting', 'ended'])),
    context: Type.Optional(Type.String({ maxLength: 512 })),
    labels: Type.Optional(labelsSchema),
  }),
  unsubscribe: Type.Object({ type: Type.Literal('unsubscribe'), ref }),
  publish: Type.Object({
    type: Type.Literal('publish'),
    ref,
    session,
    agent,
    dialect,
    events: Type.Array(Type.Unknown(), { minItems: 1, maxItems: 10_000 }),
    producer: Type.Optional(
      Type.Object({
        name: Type.String({ pattern: '^[!-+\\--:<-~]{1,128}$' }),
        epoch: Type.Integer({ minimum: 0 }),
        seq: Type.Integer({ minimum: 0 }),
      }),
    ),
  }),
  answer: Type.Object({ type: Type.Literal('answer'), ref, session, agent, ...answerSchema.properties }),
  cancel: Type.Object({ type: Type.Literal('cancel'), ref, session, agent, ...cancelSchema.properties }),
  message: Type.Object({ type: Type.Literal('message'), ref, session, agent, ...messageSchema.properties }),
  ping: Type.Object({ type: Type.Literal('ping'), ref: Type.Optional(ref) }),
} as const

export const clientMessageTypes: readonly string[] = Object.keys(schemas)

type Schemas = typeof schemas
export type ClientMessage = { [Name in keyof Schemas]: Type.Static<Schemas[Name]> }[keyof Schemas]

const validators = Object.fromEntries(
  Object.entries(schemas).map(([name, schema]) => [name, Compile(schema)]),
)

/** Reads a message of a client. Throws `bad_request`. */
export function parseClientMessage(value: unknown): ClientMessage {
  const type = typeof value === 'object' && value !== null && 'type' in value ? value.type : undefined
  const known = typeof type === 'string' && Object.hasOwn(validators, type) ? validators[type] : undefined
  if (known === undefined)
    throw new SluiceError('bad_request', {
      message: `type is one of ${clientMessageTypes.join(', ')}.`,
      details: { path: '/type' },
    })
  if (known.Check(value)) return value as ClientMessage // just checked
  const [, errors] = known.Errors(value)
  throw new SluiceError('bad_request', {
    message: `The message is not of its form: ${errors[0]?.message ?? 'it does not fit'}.`,
    details: { path: errors[0]?.instancePath ?? '' },
  })
}
