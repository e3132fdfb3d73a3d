import { isJsonObject, type JsonObject, type JsonValue, SluiceError } from '@sluice/protocol'
import type { FastifyInstance } from 'fastify'
import type { Caller } from '../../access/caller.ts'
import type { RejectionCode } from '../../features/aaep/agreement.ts'
import type { Backend } from '../backend.ts'
import { queryValue, toSessionParam } from '../http/parameters.ts'
import { callerOf, holderOf, readsIn } from '../http/request-caller.ts'
import { openAaepStream } from './open-stream.ts'
import { parseJson, tellWhetherCounted } from './routes.ts'

/** What the reference clients of AAEP ask for: they know neither the handshake nor the names of its addresses. */
const plainRequest = {
  type: 'subscription.request',
  aaep_version: '1.0.0',
  subscriber_id: 'plain',
  capabilities: { supports_confirmation_reply: true, supports_clarification_reply: true },
}

/** `GET /events`, `POST /messages` and `POST /sessions`, for existing clients of the reference programs. */
export function addAaepFacade(app: FastifyInstance, backend: Backend): void {
  const { subscriptions } = backend

  app.get('/events', async (request, reply) => {
    const caller = callerOf(request)
    if (!readsIn(caller, 'aaep')) throw new SluiceError('forbidden')
    const session = queryValue(request, 'session')
    const choice = session === undefined ? {} : { sessions: [toSessionParam(session, undefined).id] }
    const subscribed = await subscriptions.subscribe(plainRequest, { caller, choice })
    if (!subscribed.ok) throw toError(subscribed)
    const { subscription } = subscribed
    // Such a client cannot come back to what it had: its subscription lasts as long as its connection.
    reply.raw.on('close', () => {
      subscriptions.drop(subscription).catch(() => {})
    })
    if (reply.raw.destroyed) await subscriptions.drop(subscription)
    return openAaepStream(backend, request, reply, { caller, subscription, isNamed: false })
  })

  app.post('/messages', async (request, reply) => {
    const caller = holderOf(request)
    const message = toReply(parseJson(request.body), backend.kernel.clock.now())
    tellWhetherCounted(reply, caller, await subscriptions.reply(message, caller))
    return { status: 'received' }
  })

  app.post('/sessions', async (request, reply) => {
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

/** Has the usual agent run for a caller who names none. */
async function startSession(backend: Backend, text: string, caller: Caller): Promise<string> {
  const { usual } = backend.runs
  if (usual === undefined) throw new SluiceError('no_agent')
  return (await backend.runs.begin(caller, usual, { prompt: text })).session.id
}

/** As much as an event may hold of it. */
const maxTextLength = 16_384

const errorCodes: Partial<Record<RejectionCode, 'rate_limited' | 'unauthenticated' | 'closed'>> = {
  rate_limit: 'rate_limited',
  authentication_required: 'unauthenticated',
  transport_unavailable: 'closed',
}

function toError({ code, message }: { readonly code: RejectionCode; readonly message: string }): SluiceError {
  return new SluiceError(errorCodes[code] ?? 'forbidden', { message })
}

/**
 * The reply of a reference client, with the fields of the contract alone. They leave out when they answered and in which
 * subscription, or make an id up, and add fields of their own.
 */
function toReply(message: JsonValue, now: number): JsonObject {
  if (!isJsonObject(message)) throw new SluiceError('bad_request', { message: 'The message is no reply.' })
  const { type, reply_token, decision, modified_action, response } = message
  return {
    timestamp: new Date(now).toISOString(),
    ...(type === undefined ? {} : { type }),
    ...(reply_token === undefined ? {} : { reply_token }),
    ...(decision === undefined ? {} : { decision }),
    ...(modified_action === undefined ? {} : { modified_action }),
    ...(response === undefined ? {} : { response }),
  }
}
