import { rejectionTable } from '../../features/aaep/negotiate-rejection.ts'
import { emptyAnswer, toJsonContent } from './answers.ts'
import type { Parameter, Paths, Response, Schema } from './model.ts'
import { type headers, refer, referHeaders } from './parameters.ts'
import { anyBody, anyRequest, anyWrite, toProblems } from './problems.ts'

const tags = ['aaep']
const text = { type: 'string' }
const query = (name: string, description: string, schema: Schema): Parameter => ({
  name,
  in: 'query',
  description,
  schema,
})

/** A message of AAEP. Its schema is published on its own, under the address that is told. */
const message = (...types: readonly string[]): Schema => ({
  type: 'object',
  required: ['type'],
  properties: { type: { enum: types } },
  description: types.map((type) => `/schemas/aaep/${type}.json`).join(' or '),
})
const accepted = (description: string, ...names: readonly (keyof typeof headers)[]): Response => ({
  description,
  headers: referHeaders(...names),
  content: toJsonContent(message('subscription.accepted')),
})
const stream = (description: string): Response => ({
  description,
  headers: referHeaders(),
  content: { 'text/event-stream': { schema: text } },
})
const json = (description: string, schema: Schema): Response => ({
  description,
  headers: referHeaders(),
  content: toJsonContent(schema),
})
const body = (schema: Schema) => ({ required: true, content: toJsonContent(schema) })

/** Whatever keeps a subscription from being made is told as the contract wants it. */
const rejections: Readonly<Record<string, Response>> = Object.fromEntries(
  Object.values(rejectionTable).map(({ status }) => {
    const codes = Object.entries(rejectionTable).filter(([, row]) => row.status === status)
    const isWaiting = status === 429 || status === 503
    return [
      status,
      {
        description: `Rejected: ${codes.map(([code]) => code).join(', ')}.`,
        headers: referHeaders(...(isWaiting ? (['Retry-After'] as const) : [])),
        content: toJsonContent(message('subscription.rejected')),
      },
    ]
  }),
)
const subscriptionId: Parameter = {
  name: 'id',
  in: 'path',
  required: true,
  description: 'The id of a subscription.',
  schema: text,
}
const any = toProblems(...anyRequest, 'unknown_subscription')

/** docs/aaep.md, Addresses. */
export const aaepPaths: Paths = {
  '/aaep/v1/subscriptions': {
    post: {
      operationId: 'subscribeAaep',
      tags,
      summary: 'Subscribes an assistive client',
      parameters: [
        ...refer('idempotencyKey'),
        {
          ...query('session', 'Which sessions; without it all.', { type: 'array', items: text }),
          explode: true,
        },
        query('after', 'Where to begin.', { type: 'string', enum: ['start', 'now'] }),
      ],
      requestBody: body(message('subscription.request')),
      responses: {
        200: accepted('The subscription that a request with the same key has made.', 'Location'),
        201: accepted('The subscription.', 'Location'),
        ...rejections,
      },
    },
  },
  '/aaep/v1/subscriptions/{id}': {
    get: {
      operationId: 'getAaepSubscription',
      tags,
      summary: 'The subscription as it stands',
      parameters: [subscriptionId],
      responses: { 200: accepted('The subscription.'), ...any },
    },
    delete: {
      operationId: 'closeAaepSubscription',
      tags,
      summary: 'Closes a subscription',
      parameters: [subscriptionId],
      responses: {
        204: emptyAnswer('It is closed.'),
        ...toProblems(...anyRequest, ...anyWrite, 'unknown_subscription'),
      },
    },
  },
  '/aaep/v1/events': {
    get: {
      operationId: 'readAaepSubscription',
      tags,
      summary: 'The events of a subscription',
      security: [{ bearer: [] }, { ticket: [] }, {}],
      parameters: [
        { ...query('subscription_id', 'The subscription.', text), required: true },
        query('framing', 'With or without the field event.', {
          type: 'string',
          enum: ['named', 'plain'],
          default: 'named',
        }),
        ...refer('lastEventId'),
      ],
      responses: {
        200: stream('The events, each with its own id.'),
        204: emptyAnswer('Nothing is left, and nothing will come.'),
        ...any,
      },
    },
  },
  '/aaep/v1/replies': {
    post: {
      operationId: 'replyAaep',
      tags,
      summary: 'Answers a question, renegotiates or closes a subscription',
      requestBody: body(
        message(
          'confirmation.reply',
          'clarification.reply',
          'subscription.renegotiate',
          'subscription.close',
        ),
      ),
      responses: {
        200: json('The new terms of the subscription.', message('subscription.accepted')),
        204: {
          description: 'The reply was taken, or the subscription is closed.',
          headers: referHeaders('Sluice-Counted'),
        },
        422: rejections['422'] ?? emptyAnswer('Rejected.'),
        ...toProblems(...anyRequest, ...anyBody, ...anyWrite, 'unknown_subscription'),
      },
    },
  },
  '/aaep/v1/ws': {
    get: {
      operationId: 'openAaepWebSocket',
      tags,
      summary: 'A subscription on a connection of its own, subprotocol aaep.v1',
      responses: {
        101: emptyAnswer('The connection speaks WebSocket from here on.'),
        ...toProblems(...anyRequest, 'upgrade_required'),
      },
    },
  },
  '/.well-known/aaep-manifest.json': {
    get: {
      operationId: 'getAaepManifest',
      tags,
      summary: 'The manifest of the gateway as a producer',
      security: [],
      responses: {
        200: {
          description: 'The manifest, or as application/jose the signed one.',
          headers: referHeaders(),
          content: { ...toJsonContent({ type: 'object' }), 'application/jose': { schema: text } },
        },
        ...toProblems('not_acceptable'),
      },
    },
  },
  '/.well-known/jwks.json': {
    get: {
      operationId: 'getJwks',
      tags,
      summary: 'The keys that verify the signed manifest',
      security: [],
      responses: {
        200: {
          description: 'A JWK set (RFC 7517).',
          headers: referHeaders(),
          content: { 'application/jwk-set+json': { schema: { type: 'object' } } },
        },
      },
    },
  },
  '/events': {
    get: {
      operationId: 'readPlainEvents',
      tags,
      summary: 'The events on default terms, for clients without a handshake',
      security: [{ bearer: [] }, { ticket: [] }, {}],
      parameters: [query('session', 'One session; without it all.', text), ...refer('lastEventId')],
      responses: {
        200: stream('The events, without the field event.'),
        204: emptyAnswer('The session has ended, and nothing is left of it.'),
        ...toProblems(...anyRequest, ...anyWrite),
      },
    },
  },
  '/messages': {
    post: {
      operationId: 'sendPlainReply',
      tags,
      summary: 'Answers a question, for clients without a handshake',
      requestBody: body(message('confirmation.reply', 'clarification.reply')),
      responses: {
        200: {
          ...json('The reply is well-formed.', { type: 'object', properties: { status: text } }),
          headers: referHeaders('Sluice-Counted'),
        },
        ...toProblems(...anyRequest, ...anyBody, ...anyWrite),
      },
    },
  },
  '/sessions': {
    post: {
      operationId: 'startPlainSession',
      tags,
      summary: 'Asks the agent of this gateway for something',
      requestBody: body({
        type: 'object',
        required: ['user_message'],
        properties: { user_message: { type: 'string', minLength: 1, maxLength: 16_384 } },
      }),
      responses: {
        202: json('The agent has begun.', {
          type: 'object',
          properties: { status: text, user_message: text, session_id: text },
        }),
        ...toProblems(...anyRequest, ...anyBody, ...anyWrite, 'no_agent'),
      },
    },
  },
}
