import { isJsonObject, type JsonValue, SluiceError } from '@sluice/protocol'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Rejection } from '../../aaep/negotiate.ts'
import { toRejected } from '../../aaep/negotiate-answer.ts'
import { readChoice, type SessionChoice } from '../../aaep/negotiate-choice.ts'
import { rejectionTable, toRejection } from '../../aaep/negotiate-rejection.ts'
import type { Subscription } from '../../aaep/registry-subscription.ts'
import type { Gate } from '../../gate.ts'
import { openAaepStream } from '../open-aaep-stream.ts'
import { queryValue } from '../parameters.ts'
import { callerOf } from '../request-caller.ts'

const subscriptionsRoute = '/aaep/v1/subscriptions'

/** AAEP over HTTP (docs/aaep.md). */
export function addAaepRoutes(app: FastifyInstance, gate: Gate): void {
  const { desk } = gate

  app.post(subscriptionsRoute, async (request, reply) => {
    const choice = choiceOf(request)
    if (typeof choice === 'string')
      return refuse(reply, { ok: false, code: 'capabilities_incompatible', message: choice })
    const subscribed = await desk.subscribe(readJson(request), { ...askerOf(request), choice })
    if (!subscribed.ok) return refuse(reply, subscribed)
    const { id } = subscribed.subscription
    return reply
      .code(201)
      .header('location', `/aaep/v1/events?subscription_id=${id}`)
      .send(subscribed.accepted)
  })

  app.get(`${subscriptionsRoute}/:id`, async (request) => {
    const { id = '' } = request.params as { readonly id?: string } // the route has this parameter
    return desk.accepted(await reach(gate, request, id), askerOf(request))
  })

  app.delete(`${subscriptionsRoute}/:id`, async (request, reply) => {
    const { id = '' } = request.params as { readonly id?: string } // the route has this parameter
    await desk.close(await reach(gate, request, id))
    return reply.code(204).send()
  })

  app.get('/aaep/v1/events', async (request, reply) => {
    const subscription = await reach(gate, request, queryValue(request, 'subscription_id') ?? '')
    const framing = queryValue(request, 'framing') ?? 'named'
    if (framing !== 'named' && framing !== 'plain')
      throw new SluiceError('bad_request', {
        message: 'framing is named or plain.',
        details: { path: 'framing' },
      })
    return openAaepStream(gate, request, reply, subscription, framing === 'named')
  })

  app.post('/aaep/v1/replies', async (request, reply) => {
    const message = readJson(request)
    const { type, subscription_id: id } = isJsonObject(message) ? message : {}
    if (type !== 'subscription.close' && type !== 'subscription.renegotiate') {
      await desk.reply(message, callerOf(request))
      return reply.code(204).send()
    }
    const subscription = await reach(gate, request, typeof id === 'string' ? id : '')
    if (type === 'subscription.close') {
      await desk.close(subscription)
      return reply.code(204).send()
    }
    const answer = await desk.renegotiate(subscription, message, askerOf(request))
    return 'ok' in answer ? refuse(reply, answer) : reply.send(answer)
  })

  app.get('/.well-known/aaep-manifest.json', async (request, reply) => {
    reply.header('cache-control', 'max-age=300').header('vary', 'accept')
    if (!(request.headers.accept ?? '').includes('application/jose'))
      return reply.type('application/json').send(desk.manifest.text)
    const signed = await desk.manifest.signed()
    if (signed === undefined) throw new SluiceError('not_acceptable')
    return reply.type('application/jose').send(signed)
  })

  app.get('/.well-known/jwks.json', async (_request, reply) =>
    reply.type('application/jwk-set+json').header('cache-control', 'max-age=300').send(desk.keys.jwks()),
  )
}

/** An error on the way to a subscription, as the contract tells it; undefined for every other request. */
export function aaepRejectionOf(request: FastifyRequest, error: SluiceError): Rejection | undefined {
  const isAsking = request.method === 'POST' && request.routeOptions.url === subscriptionsRoute
  return isAsking ? toRejection(error.code) : undefined
}

export function refuse(reply: FastifyReply, rejection: Rejection): FastifyReply {
  const { retryAfterSeconds } = rejection
  if (retryAfterSeconds !== undefined) reply.header('retry-after', retryAfterSeconds)
  return reply
    .code(rejectionTable[rejection.code].status)
    .type('application/json')
    .send(JSON.stringify(toRejected(rejection)))
}

async function reach(gate: Gate, request: FastifyRequest, id: string): Promise<Subscription> {
  const found = await gate.desk.find(callerOf(request), id)
  if (found === undefined) throw new SluiceError('unknown_subscription')
  return found
}

function askerOf(request: FastifyRequest) {
  const { host } = request.headers
  const caller = callerOf(request)
  return host === undefined ? { caller } : { caller, origin: `${request.protocol}://${host}` }
}

function choiceOf(request: FastifyRequest): SessionChoice | string {
  const { session, after } = request.query as { readonly session?: JsonValue; readonly after?: JsonValue } // a parsed query is an object of texts
  if (session === undefined && after === undefined) return {}
  return readChoice({
    ...(session === undefined ? {} : { sessions: typeof session === 'string' ? [session] : session }),
    ...(after === undefined ? {} : { after }),
  })
}

/** The JSON of a body; what is none is `null`, which is no message. */
function readJson(request: FastifyRequest): JsonValue {
  if (!Buffer.isBuffer(request.body)) return null
  try {
    return JSON.parse(request.body.toString('utf8')) as JsonValue
  } catch {
    return null
  }
}
