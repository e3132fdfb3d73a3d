import { isJsonObject, type JsonValue, SluiceError } from '@sluice/protocol'
import type { FastifyInstance } from 'fastify'
import type { Gate } from '../../gate.ts'
import { openAaepStream } from '../open-aaep-stream.ts'
import { queryValue } from '../parameters.ts'
import { callerOf } from '../request-caller.ts'

/** What the reference clients of AAEP ask for: they know neither the handshake nor the names of its addresses. */
const plainRequest = {
  type: 'subscription.request',
  aaep_version: '1.0.0',
  subscriber_id: 'plain',
  capabilities: { supports_confirmation_reply: true, supports_clarification_reply: true },
}

/** `GET /events`, `POST /messages` and `POST /sessions`, for existing clients of the reference programs. */
export function addAaepFacade(app: FastifyInstance, gate: Gate): void {
  const { desk } = gate

  app.get('/events', async (request, reply) => {
    const caller = callerOf(request)
    const session = queryValue(request, 'session')
    const choice = session === undefined ? {} : { sessions: [session] }
    const subscribed = await desk.subscribe(plainRequest, { caller, choice })
    if (!subscribed.ok)
      throw new SluiceError(subscribed.code === 'rate_limit' ? 'rate_limited' : 'forbidden', {
        message: subscribed.message,
      })
    const { subscription } = subscribed
    // Such a client cannot come back to what it had: its subscription lasts as long as its connection.
    reply.raw.on('close', () => {
      desk.drop(subscription).catch(() => {})
    })
    return openAaepStream(gate, request, reply, subscription, false)
  })

  app.post('/messages', async (request, reply) => {
    const message = parseBody(request.body)
    const { type } = isJsonObject(message) ? message : {}
    if (type === 'confirmation.reply' || type === 'clarification.reply') {
      // They leave out when they answered.
      const timestamp = new Date(gate.clock.now()).toISOString()
      await desk.reply(isJsonObject(message) ? { timestamp, ...message } : message, callerOf(request))
    } else throw new SluiceError('bad_request', { message: 'The message is no reply.' })
    return reply.send({ status: 'received' })
  })

  app.post('/sessions', async (request, reply) => {
    const message = parseBody(request.body)
    const { user_message: text } = isJsonObject(message) ? message : {}
    if (typeof text !== 'string' || text === '')
      throw new SluiceError('bad_request', {
        message: 'user_message is a text.',
        details: { path: '/user_message' },
      })
    if (gate.startSession === undefined) throw new SluiceError('no_agent')
    const session = await gate.startSession(text, callerOf(request))
    return reply.code(202).send({ status: 'started', user_message: text, session_id: session })
  })
}

function parseBody(body: unknown): JsonValue {
  if (!Buffer.isBuffer(body)) return null
  try {
    return JSON.parse(body.toString('utf8')) as JsonValue
  } catch {
    return null
  }
}
