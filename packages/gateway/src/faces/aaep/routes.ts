import { isJsonObject, type JsonValue, SluiceError } from '@sluice/protocol'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
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
import { openRoute } from '../http/route-access.ts'
import { openAaepStream } from './open-stream.ts'

const subscriptionsRoute = '/aaep/v1/subscriptions'

/** AAEP over HTTP (docs/aaep.md). */
export function addAaepRoutes(app: FastifyInstance, backend: Backend): void {
  const { subscriptions } = backend

  app.post(subscriptionsRoute, async (request, reply) => {
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

  app.get(`${subscriptionsRoute}/:id`, async (request) =>
    subscriptions.accepted(await reach(backend, holderOf(request), idOf(request)), askerOf(request)),
  )

  app.delete(`${subscriptionsRoute}/:id`, async (request, reply) => {
    const caller = holderOf(request)
    await subscriptions.close(await reach(backend, caller, idOf(request)), caller)
    return reply.code(204).send()
  })

  app.get('/aaep/v1/events', async (request, reply) => {
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
    return openAaepStream(backend, request, reply, { caller, subscription, isNamed: framing === 'named' })
  })

  app.post('/aaep/v1/replies', async (request, reply) => {
    const caller = holderOf(request)
    const message = parseJson(request.body)
    const { type, subscription_id: id } = isJsonObject(message) ? message : {}
    if (type !== 'subscription.close' && type !== 'subscription.renegotiate') {
      tellWhetherCounted(reply, caller, await subscriptions.reply(message, caller))
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

  // What comes here asks for no upgrade: the others never become requests.
  app.get('/aaep/v1/ws', async (_request, reply) => {
    reply.header('upgrade', 'websocket')
    throw new SluiceError('upgrade_required')
  })

  app.get('/.well-known/aaep-manifest.json', openRoute, async (request, reply) => {
    reply.header('cache-control', 'max-age=300')
    if (!(request.headers.accept ?? '').includes('application/jose'))
      return reply.type('application/json').send(subscriptions.manifest.text)
    const signed = await subscriptions.manifest.signed()
    if (signed === undefined) throw new SluiceError('not_acceptable')
    return reply.type('application/jose').send(signed)
  })

  app.get('/.well-known/jwks.json', openRoute, async (_request, reply) =>
    reply
      .type('application/jwk-set+json')
      .header('cache-control', 'max-age=300')
      .send(subscriptions.keys.jwks()),
  )
}

/** An error on the way to a subscription, as the contract tells it; undefined for every other request. */
export function aaepRejectionOf(request: FastifyRequest, error: SluiceError): Rejection | undefined {
  if (request.method !== 'POST' || request.routeOptions.url !== subscriptionsRoute) return undefined
  const rejection = toRejection(error.code)
  const waitSeconds = error.details?.['retryAfterSeconds']
  return typeof waitSeconds === 'number' ? { ...rejection, retryAfterSeconds: waitSeconds } : rejection
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

/** AAEP answers every well-formed reply alike, so whether it counts stands in a header. */
export function tellWhetherCounted(reply: FastifyReply, caller: Caller, counted: boolean): void {
  if (caller.canSome('answer')) reply.header('sluice-counted', String(counted))
}

/** The JSON of a body; what is none is `null`, which is no message. */
export function parseJson(body: unknown): JsonValue {
  if (!Buffer.isBuffer(body)) return null
  try {
    return JSON.parse(body.toString('utf8')) as JsonValue // nothing else comes out of it
  } catch {
    return null
  }
}

async function reach(backend: Backend, caller: Caller, id: string): Promise<Subscription> {
  const found = await backend.subscriptions.find(caller, id)
  if (found === undefined) throw new SluiceError('unknown_subscription')
  return found
}

/** A ticket for a session reads a subscription that covers this session and no other. */
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
    ...(after === undefined ? {} : { after }),
  })
}
