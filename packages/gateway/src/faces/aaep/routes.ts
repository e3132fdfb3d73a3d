import { isJsonObject, type JsonValue, omitUndefined, SluiceError } from '@sluice/protocol'
import type { FastifyInstance, FastifyReply, FastifyRequest, FastifySchema } from 'fastify'
import Type from 'typebox'
import type { Caller } from '../../access/caller.ts'
import type { Rejection } from '../../features/aaep/agreement.ts'
import { toRejected } from '../../features/aaep/negotiate-answer.ts'
import { readChoice, type SessionChoice } from '../../features/aaep/negotiate-choice.ts'
import { rejectionTable, toRejection } from '../../features/aaep/negotiate-rejection.ts'
import type { Subscription } from '../../features/aaep/registry-subscription.ts'
import type { Asker } from '../../features/aaep/subscriptions.ts'
import type { Backend } from '../backend.ts'
import { queryValue, queryValues } from '../http/parameters.ts'
import { holderOf, readsIn, subscriptionCallerOf } from '../http/request-caller.ts'
import { emptyAnswer, eventStreamAnswer, jsonAnswer, upgradeAnswer } from '../openapi/answers.ts'
import { creationHeaders, resumeHeaders, ticketSecurity } from '../openapi/parameters.ts'
import { anyBody, anyRequest, anyWrite, toProblems } from '../openapi/problems.ts'
import { toMessageSchema } from './message-schema.ts'
import { openAaepStream } from './open-stream.ts'

const subscriptionsRoute = '/aaep/v1/subscriptions'

const tags = ['aaep']
const acceptedSchema = toMessageSchema('subscription.accepted')
const subscriptionProblems = toProblems(...anyRequest, 'unknown_subscription')
const subscriptionParams = Type.Object({ id: Type.String({ description: 'The id of a subscription.' }) })

/** Refused subscriptions, by status. */
const rejections = Object.fromEntries(
  Object.values(rejectionTable).map(({ status }) => [status, toRejectionAnswer(status)]),
)

const subscribeAaepOperation: FastifySchema = {
  operationId: 'subscribeAaep',
  tags,
  summary: 'Subscribes an assistive client',
  querystring: Type.Object({
    session: Type.Optional(Type.Array(Type.String(), { description: 'Which sessions; without it all.' })),
    after: Type.Optional(Type.String({ description: 'Where to begin.', enum: ['start', 'now'] })),
  }),
  headers: creationHeaders,
  body: toMessageSchema('subscription.request'),
  response: {
    200: jsonAnswer(
      'The subscription that a request with the same key has made.',
      acceptedSchema,
      'Location',
    ),
    201: jsonAnswer('The subscription.', acceptedSchema, 'Location'),
    ...rejections,
  },
}

const getAaepSubscriptionOperation: FastifySchema = {
  operationId: 'getAaepSubscription',
  tags,
  summary: 'The subscription as it stands',
  params: subscriptionParams,
  response: { 200: jsonAnswer('The subscription.', acceptedSchema), ...subscriptionProblems },
}

const closeAaepSubscriptionOperation: FastifySchema = {
  operationId: 'closeAaepSubscription',
  tags,
  summary: 'Closes a subscription',
  params: subscriptionParams,
  response: {
    204: emptyAnswer('It is closed.'),
    ...toProblems(...anyRequest, ...anyWrite, 'unknown_subscription'),
  },
}

const readAaepSubscriptionOperation: FastifySchema = {
  operationId: 'readAaepSubscription',
  tags,
  summary: 'The events of a subscription',
  security: ticketSecurity,
  querystring: Type.Object({
    subscription_id: Type.String({ description: 'The subscription.' }),
    framing: Type.Optional(
      Type.String({
        description: 'With or without the field event.',
        enum: ['named', 'plain'],
        default: 'named',
      }),
    ),
  }),
  headers: resumeHeaders,
  response: {
    200: eventStreamAnswer('The events, each with its own id.'),
    204: emptyAnswer('Nothing is left, and nothing will come.'),
    ...subscriptionProblems,
  },
}

const replyAaepOperation: FastifySchema = {
  operationId: 'replyAaep',
  tags,
  summary: 'Answers a question, renegotiates or closes a subscription',
  body: toMessageSchema(
    'confirmation.reply',
    'clarification.reply',
    'subscription.renegotiate',
    'subscription.close',
  ),
  response: {
    200: jsonAnswer('The new terms of the subscription.', acceptedSchema),
    204: emptyAnswer('The reply was taken, or the subscription is closed.', 'Sluice-Counted'),
    422: toRejectionAnswer(422),
    ...toProblems(...anyRequest, ...anyBody, ...anyWrite, 'unknown_subscription'),
  },
}

const openAaepWebSocketOperation: FastifySchema = {
  operationId: 'openAaepWebSocket',
  tags,
  summary: 'A subscription on a connection of its own, subprotocol aaep.v1',
  response: { 101: upgradeAnswer, ...toProblems(...anyRequest, 'upgrade_required') },
}

/** AAEP over HTTP (docs/aaep.md). */
export function addAaepRoutes(app: FastifyInstance, backend: Backend): void {
  const { subscriptions } = backend

  app.post(subscriptionsRoute, { schema: subscribeAaepOperation }, async (request, reply) => {
    const choice = choiceOf(request)
    if (typeof choice === 'string')
      return refuse(reply, { ok: false, code: 'capabilities_incompatible', message: choice })
    const key = request.headers['idempotency-key']
    const asker = { ...askerOf(request), choice, ...(typeof key === 'string' && key !== '' ? { key } : {}) }
    const subscribed = await subscriptions.subscribe(parseJson(request.body), asker)
    if (!subscribed.ok) return refuse(reply, subscribed)
    const { id } = subscribed.subscription
    return reply
      .code(subscribed.isNew ? 201 : 200)
      .header('location', `/aaep/v1/events?subscription_id=${id}`)
      .send(subscribed.accepted)
  })

  app.get(`${subscriptionsRoute}/:id`, { schema: getAaepSubscriptionOperation }, async (request) =>
    subscriptions.accepted(await reach(backend, holderOf(request), idOf(request)), askerOf(request)),
  )

  app.delete(
    `${subscriptionsRoute}/:id`,
    { schema: closeAaepSubscriptionOperation },
    async (request, reply) => {
      const caller = holderOf(request)
      await subscriptions.close(await reach(backend, caller, idOf(request)), caller)
      return reply.code(204).send()
    },
  )

  app.get('/aaep/v1/events', { schema: readAaepSubscriptionOperation }, async (request, reply) => {
    const id = queryValue(request, 'subscription_id') ?? ''
    const caller = subscriptionCallerOf(request, id)
    const subscription = await reach(backend, caller, id)
    assertReads(caller, subscription)
    const framing = queryValue(request, 'framing') ?? 'named'
    if (framing !== 'named' && framing !== 'plain')
      throw new SluiceError('bad_request', {
        message: 'framing is named or plain.',
        details: { path: 'framing' },
      })
    return openAaepStream(backend, reply, { caller, subscription, isNamed: framing === 'named' })
  })

  app.post('/aaep/v1/replies', { schema: replyAaepOperation }, async (request, reply) => {
    const caller = holderOf(request)
    const message = parseJson(request.body)
    const { type, subscription_id: id } = isJsonObject(message) ? message : {}
    if (type !== 'subscription.close' && type !== 'subscription.renegotiate') {
      tellWhetherCounted(reply, await subscriptions.reply(message, caller))
      return reply.code(204).send()
    }
    const subscription = await reach(backend, caller, typeof id === 'string' ? id : '')
    if (type === 'subscription.close') {
      await subscriptions.close(subscription, caller)
      return reply.code(204).send()
    }
    const answer = await subscriptions.renegotiate(subscription, message, askerOf(request))
    return 'ok' in answer ? refuse(reply, answer) : reply.send(answer)
  })

  // Only requests without an upgrade arrive here.
  app.get('/aaep/v1/ws', { schema: openAaepWebSocketOperation }, async (_request, reply) => {
    reply.header('upgrade', 'websocket')
    throw new SluiceError('upgrade_required')
  })
}

/** The rejection for an error of a request that subscribes; undefined for every other request. */
export function aaepRejectionOf(request: FastifyRequest, error: SluiceError): Rejection | undefined {
  if (request.method !== 'POST' || request.routeOptions.url !== subscriptionsRoute) return undefined
  const rejection = toRejection(error.code)
  const waitSeconds = error.details?.['retryAfterSeconds']
  return typeof waitSeconds === 'number' ? { ...rejection, retryAfterSeconds: waitSeconds } : rejection
}

function toRejectionAnswer(status: number): object {
  const codes = Object.entries(rejectionTable).filter(([, row]) => row.status === status)
  return jsonAnswer(
    `Rejected: ${codes.map(([code]) => code).join(', ')}.`,
    toMessageSchema('subscription.rejected'),
    ...(status === 429 || status === 503 ? (['Retry-After'] as const) : []),
  )
}

export function refuse(reply: FastifyReply, rejection: Rejection): FastifyReply {
  const { retryAfterSeconds } = rejection
  const { status } = rejectionTable[rejection.code]
  if (retryAfterSeconds !== undefined) reply.header('retry-after', retryAfterSeconds)
  if (status === 401) reply.header('www-authenticate', 'Bearer')
  return reply
    .code(status)
    .type('application/json')
    .send(JSON.stringify(toRejected(rejection)))
}

/** AAEP answers every well-formed reply alike, so a header says whether it counts. */
export function tellWhetherCounted(reply: FastifyReply, counted: boolean): void {
  if (holderOf(reply.request).canSome('answer')) reply.header('sluice-counted', String(counted))
}

/** The JSON of a body. Anything else becomes `null`, which is not a message. */
export function parseJson(body: unknown): JsonValue {
  if (!Buffer.isBuffer(body)) return null
  try {
    return JSON.parse(body.toString('utf8')) as JsonValue // JSON.parse() returns nothing else
  } catch {
    return null
  }
}

async function reach(backend: Backend, caller: Caller, id: string): Promise<Subscription> {
  const found = await backend.subscriptions.find(caller, id)
  if (found === undefined) throw new SluiceError('unknown_subscription')
  return found
}

/** A ticket for a session reads a subscription only if it covers this session alone. */
function assertReads(caller: Caller, { id, sessions }: Subscription): void {
  if (caller.via !== 'ticket' || caller.readsSubscription === id) return
  const isWithin = sessions?.every((session) => caller.can('subscribe', { id: session, labels: {} })) ?? false
  if (!isWithin || !readsIn(caller, 'aaep')) throw new SluiceError('unknown_subscription')
}

function idOf(request: FastifyRequest): string {
  const { id = '' } = request.params as { readonly id?: string } // the route has this parameter
  return id
}

function askerOf(request: FastifyRequest): Asker {
  const { host } = request.headers
  const caller = holderOf(request)
  return host === undefined ? { caller } : { caller, origin: `${request.protocol}://${host}` }
}

function choiceOf(request: FastifyRequest): SessionChoice | string {
  const sessions = queryValues(request, 'session')
  const after = queryValue(request, 'after')
  return readChoice({
    ...(sessions.length === 0 ? {} : { sessions }),
    ...omitUndefined({ after }),
  })
}
