import { isJsonObject, type JsonObject, type JsonValue, omitUndefined, SluiceError } from '@sluice/protocol'
import type { FastifyInstance, FastifySchema } from 'fastify'
import Type from 'typebox'
import type { Caller } from '../../access/caller.ts'
import type { RejectionCode } from '../../features/aaep/agreement.ts'
import type { Backend } from '../backend.ts'
import { queryValue, toSessionParam } from '../http/parameters.ts'
import { callerOf, holderOf, readsIn } from '../http/request-caller.ts'
import { emptyAnswer, eventStreamAnswer, jsonAnswer } from '../openapi/answers.ts'
import { resumeHeaders, ticketSecurity } from '../openapi/parameters.ts'
import { anyBody, anyRequest, anyWrite, toProblems } from '../openapi/problems.ts'
import { toMessageSchema } from './message-schema.ts'
import { openAaepStream } from './open-stream.ts'
import { parseJson, tellWhetherCounted } from './routes.ts'

/** The subscription of AAEP's reference clients, which know neither the handshake nor its paths. */
const plainRequest = {
  type: 'subscription.request',
  aaep_version: '1.0.0',
  subscriber_id: 'plain',
  capabilities: { supports_confirmation_reply: true, supports_clarification_reply: true },
}

/** The longest request text that fits into an event. */
const maxTextLength = 16_384

const tags = ['aaep']

const readPlainEventsOperation: FastifySchema = {
  operationId: 'readPlainEvents',
  tags,
  summary: 'The events on default terms, for clients without a handshake',
  security: ticketSecurity,
  querystring: Type.Object({
    session: Type.Optional(Type.String({ description: 'One session; without it all.' })),
  }),
  headers: resumeHeaders,
  response: {
    200: eventStreamAnswer('The events, without the field event.'),
    204: emptyAnswer('The session has ended, and nothing is left of it.'),
    ...toProblems(...anyRequest, ...anyWrite),
  },
}

const sendPlainReplyOperation: FastifySchema = {
  operationId: 'sendPlainReply',
  tags,
  summary: 'Answers a question, for clients without a handshake',
  body: toMessageSchema('confirmation.reply', 'clarification.reply'),
  response: {
    200: jsonAnswer(
      'The reply is well-formed.',
      Type.Partial(Type.Object({ status: Type.String() })),
      'Sluice-Counted',
    ),
    ...toProblems(...anyRequest, ...anyBody, ...anyWrite),
  },
}

const startPlainSessionOperation: FastifySchema = {
  operationId: 'startPlainSession',
  tags,
  summary: 'Asks the agent of this gateway for something',
  body: Type.Object({ user_message: Type.String({ minLength: 1, maxLength: maxTextLength }) }),
  response: {
    202: jsonAnswer(
      'The agent has begun.',
      Type.Partial(
        Type.Object({ status: Type.String(), user_message: Type.String(), session_id: Type.String() }),
      ),
    ),
    ...toProblems(...anyRequest, ...anyBody, ...anyWrite, 'no_agent'),
  },
}

/** `GET /events`, `POST /messages` and `POST /sessions`, for existing clients of the reference programs. */
export function addAaepFacade(app: FastifyInstance, backend: Backend): void {
  const { subscriptions } = backend

  app.get('/events', { schema: readPlainEventsOperation }, async (request, reply) => {
    const caller = callerOf(request)
    if (!readsIn(caller, 'aaep')) throw new SluiceError('forbidden')
    const session = queryValue(request, 'session')
    const choice = session === undefined ? {} : { sessions: [toSessionParam(session, undefined).id] }
    const subscribed = await subscriptions.subscribe(plainRequest, { caller, choice })
    if (!subscribed.ok) throw toError(subscribed)
    const { subscription } = subscribed
    // These clients cannot resume: their subscription lasts as long as the connection.
    reply.raw.on('close', () => {
      subscriptions.drop(subscription).catch(() => {})
    })
    if (reply.raw.destroyed) await subscriptions.drop(subscription)
    return openAaepStream(backend, reply, { caller, subscription, isNamed: false })
  })

  app.post('/messages', { schema: sendPlainReplyOperation }, async (request, reply) => {
    const caller = holderOf(request)
    const message = toReply(parseJson(request.body), backend.kernel.clock.now())
    tellWhetherCounted(reply, await subscriptions.reply(message, caller))
    return { status: 'received' }
  })

  app.post('/sessions', { schema: startPlainSessionOperation }, async (request, reply) => {
    const caller = holderOf(request)
    const message = parseJson(request.body)
    const { user_message: text } = isJsonObject(message) ? message : {}
    if (typeof text !== 'string' || text === '' || text.length > maxTextLength)
      throw new SluiceError('bad_request', {
        message: `user_message is a text of at most ${maxTextLength} characters.`,
        details: { path: '/user_message' },
      })
    const session = await startSession(backend, text, caller)
    return reply.code(202).send({ status: 'started', user_message: text, session_id: session })
  })
}

/** Runs the default agent, because these requests do not name one. */
async function startSession(backend: Backend, text: string, caller: Caller): Promise<string> {
  const { usual } = backend.runs
  if (usual === undefined) throw new SluiceError('no_agent')
  return (await backend.runs.begin(caller, { name: usual }, { prompt: text })).session.id
}

const errorCodes: Partial<Record<RejectionCode, 'rate_limited' | 'unauthenticated' | 'closed'>> = {
  rate_limit: 'rate_limited',
  authentication_required: 'unauthenticated',
  transport_unavailable: 'closed',
}

function toError({ code, message }: { readonly code: RejectionCode; readonly message: string }): SluiceError {
  return new SluiceError(errorCodes[code] ?? 'forbidden', { message })
}

/**
 * The reply of a reference client, reduced to the fields of AAEP. These clients send no time, send no
 * subscription or an invented one, and add fields that AAEP does not define.
 */
function toReply(message: JsonValue, now: number): JsonObject {
  if (!isJsonObject(message)) throw new SluiceError('bad_request', { message: 'The message is no reply.' })
  const { type, reply_token, decision, modified_action, response } = message
  return omitUndefined({
    timestamp: new Date(now).toISOString(),
    type,
    reply_token,
    decision,
    modified_action,
    response,
  })
}
