import { randomBytes } from 'node:crypto'
import { type Part, SluiceError } from '@sluice/protocol'
import type { FastifyInstance, FastifySchema } from 'fastify'
import Type from 'typebox'
import { sendAnswer, sendCancel, sendMessage } from '../../../kernel/sessions/send-input.ts'
import type { Backend } from '../../backend.ts'
import { createBodyReader } from '../../http/body.ts'
import { sessionParam } from '../../http/parameters.ts'
import { callerOf } from '../../http/request-caller.ts'
import { jsonAnswer } from '../../openapi/answers.ts'
import { sessionParams, sessionQuery } from '../../openapi/parameters.ts'
import { anyBody, anyRequest, anySession, anyWrite, toProblems } from '../../openapi/problems.ts'
import { cursorSchema, takenSchema } from '../schemas.ts'

export const answerSchema = Type.Object(
  {
    token: Type.String({ minLength: 1, maxLength: 1024 }),
    decision: Type.Optional(Type.String({ minLength: 1, maxLength: 64 })),
    response: Type.Optional(Type.Union([Type.String({ maxLength: 65_536 }), Type.Number(), Type.Boolean()])),
  },
  { $id: 'AnswerRequest', additionalProperties: false },
)

export const cancelSchema = Type.Object(
  { reason: Type.Optional(Type.String({ maxLength: 4096 })) },
  { $id: 'CancelRequest', additionalProperties: false },
)

const textPart = Type.Object({ type: Type.Literal('text'), text: Type.String() })
const filePart = Type.Object({
  type: Type.Literal('file'),
  name: Type.Optional(Type.String()),
  mediaType: Type.Optional(Type.String()),
  inline: Type.Optional(Type.String()),
  uri: Type.Optional(Type.String()),
})
const dataPart = Type.Object({
  type: Type.Literal('data'),
  data: Type.Unknown(),
  mediaType: Type.Optional(Type.String()),
})

export const messageSchema = Type.Object(
  {
    id: Type.Optional(Type.String({ minLength: 1, maxLength: 256 })),
    text: Type.Optional(Type.String()),
    parts: Type.Optional(
      Type.Array(Type.Union([textPart, filePart, dataPart]), { minItems: 1, maxItems: 64 }),
    ),
  },
  { $id: 'MessageRequest', additionalProperties: false },
)

const readAnswer = createBodyReader(answerSchema)
const readCancel = createBodyReader(cancelSchema)
const readMessage = createBodyReader(messageSchema)

const shared = { tags: ['inputs'], params: sessionParams, querystring: sessionQuery }
const problems = toProblems(...anyRequest, ...anySession, ...anyBody, ...anyWrite, 'session_ended')

const answerQuestionOperation: FastifySchema = {
  ...shared,
  operationId: 'answerQuestion',
  summary: 'Answers a question',
  description: 'The token is that of the question or the one by which its agent knows it.',
  body: answerSchema,
  response: {
    200: jsonAnswer(
      'The answer is well-formed; it counts if it is the first valid one.',
      Type.Object({ counted: Type.Boolean() }, { $id: 'AnswerReceipt' }),
    ),
    ...toProblems(...anyRequest, ...anySession, ...anyBody, ...anyWrite),
  },
}

const cancelSessionOperation: FastifySchema = {
  ...shared,
  operationId: 'cancelSession',
  summary: 'Asks the agent to stop',
  body: cancelSchema,
  isBodyOptional: true,
  response: { 202: jsonAnswer('The agent will be told.', takenSchema), ...problems },
}

const takenMessageSchema = Type.Object({ cursor: cursorSchema, id: Type.String() }, { $id: 'TakenMessage' })

const sendMessageOperation: FastifySchema = {
  ...shared,
  operationId: 'sendMessage',
  summary: 'Sends a message to the agent',
  body: messageSchema,
  response: { 202: jsonAnswer('The agent will be told.', takenMessageSchema), ...problems },
}

export function addInputRoutes(app: FastifyInstance, backend: Backend): void {
  app.post('/v1/sessions/:id/answers', { schema: answerQuestionOperation }, async (request) => {
    const caller = callerOf(request)
    const answer = readAnswer(request.body)
    const session = await backend.kernel.reach(caller, sessionParam(request).id, 'answer')
    return { counted: await sendAnswer(backend.kernel, session, { caller, answer, via: 'http' }) }
  })

  app.post('/v1/sessions/:id/cancel', { schema: cancelSessionOperation }, async (request, reply) => {
    const caller = callerOf(request)
    const { reason } = readCancel(request.body)
    const session = await backend.kernel.reach(caller, sessionParam(request).id, 'answer')
    return reply.code(202).send({ cursor: await sendCancel(session, caller, reason) })
  })

  app.post('/v1/sessions/:id/messages', { schema: sendMessageOperation }, async (request, reply) => {
    const caller = callerOf(request)
    assertMessageSize(backend, request.body)
    const { id, parts } = toMessage(readMessage(request.body))
    const session = await backend.kernel.reach(caller, sessionParam(request).id, 'answer')
    return reply.code(202).send({ cursor: await sendMessage(session, caller, { id, parts }), id })
  })
}

export function assertMessageSize(backend: Backend, body: unknown): void {
  const { eventBytes } = backend.kernel.config.limits
  if (Buffer.isBuffer(body) && body.length > eventBytes)
    throw new SluiceError('event_too_large', { details: { limit: eventBytes } })
}

/** The parts of a message; a text is its only part. */
export function toMessage(asked: Type.Static<typeof messageSchema>): {
  readonly id: string
  readonly parts: readonly Part[]
} {
  const { id = `msg_${randomBytes(12).toString('hex')}`, text } = asked
  const parts = asked.parts as readonly Part[] | undefined // just checked
  if ((text === undefined) === (parts === undefined))
    throw new SluiceError('bad_request', { message: 'A message has either text or parts.' })
  return { id, parts: parts ?? [{ type: 'text', text: text ?? '' }] }
}
