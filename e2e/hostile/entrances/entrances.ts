import type { Action } from '@sluice/gateway'
import { omitUndefined } from '@sluice/protocol'
import { type Asked, open, send } from '../http-request.ts'
import { openSocket, type SocketMessage } from '../socket.ts'
import {
  agentName,
  type Effect,
  label,
  newSessionOf,
  type Stage,
  subscriptionRequest,
  type Victim,
} from './stage.ts'

/** How a caller authenticates. */
export interface Credential {
  readonly key?: string
  readonly ticket?: string
}

/** A session of the victim, a new session, a run, or nothing that a scope covers. */
export type Target = 'victim' | 'new' | 'run' | 'nobody'

/** One way into a gateway. */
export interface Entrance {
  /** The route, `ws TYPE` or `aaep TYPE`. */
  readonly name: string
  /** The action that a caller must be granted; without one, the entrance affects nobody. */
  readonly action?: Action
  /** Another action that must be granted. */
  readonly alsoNeeds?: Action
  readonly target: Target
  readonly effect?: Effect
  /**
   * An action that must also be granted if the session belongs to another writer; without one, no grant is
   * enough.
   */
  readonly ofReserved?: Action
  /** Whether a ticket for the session is enough. */
  readonly takesTicket?: true
  /** Tries to get in and returns everything that was received. */
  attempt(stage: Stage, victim: Victim, by: Credential): Promise<string>
}

interface Request extends Omit<Entrance, 'name' | 'attempt' | 'target'> {
  readonly target?: Target
  /** The path, if the route has parameters. */
  readonly path?: (victim: Victim) => string
  readonly body?: (victim: Victim) => object
  readonly headers?: Asked['headers']
}

const ofSession =
  (rest = '') =>
  ({ id }: Victim): string =>
    `/v1/sessions/${id}${rest}`

/**
 * An HTTP request. A response that may be a stream is read until it contains the secret or has sent
 * everything.
 */
function http(name: string, request: Request = {}): Entrance {
  const [method = '', route = ''] = name.split(' ')
  const { path = () => route, body, headers, target = 'victim', ...rest } = request
  return {
    name,
    target,
    ...rest,
    async attempt({ gateway }, victim, by) {
      const asked = omitUndefined({
        method,
        path: path(victim),
        headers,
        body: body === undefined ? undefined : body(victim),
      })
      return readText(gateway.port, victim, withCredential(asked, by))
    },
  }
}

async function readText(port: number, { secret }: Victim, asked: Asked): Promise<string> {
  const isStream = asked.headers?.['accept'] === 'text/event-stream'
  if (!isStream) return (await send(port, asked)).text
  const response = await open(port, asked)
  let text = ''
  response.on('error', () => {})
  for await (const chunk of response.setEncoding('utf8')) {
    text += chunk
    // A heartbeat: everything there was to send has been sent.
    if (text.includes(secret) || /^:/m.test(text)) break
  }
  response.destroy()
  return text
}

const reads = { action: 'subscribe', effect: 'read', takesTicket: true } as const
const sse = { accept: 'text/event-stream' }
const event = { kind: 'notice', level: 'info', text: 'x' }
const native = { events: [event] }
const answerOf = ({ token }: Victim): object => ({ token, decision: 'accept' })
const replyOf = ({ token, subscription }: Victim): object => ({
  type: 'confirmation.reply',
  reply_token: token,
  subscription_id: subscription,
  decision: 'accept',
  timestamp: '2026-05-24T14:22:30Z',
})
const namedSubscription = ({ subscription }: Victim): string => `/aaep/v1/subscriptions/${subscription}`

const sessionRoutes: readonly Entrance[] = [
  http('POST /v1/sessions', {
    action: 'publish',
    effect: 'publish',
    target: 'new',
    body: (victim) => ({ id: newSessionOf(victim), labels: label }),
  }),
  http('GET /v1/sessions', { ...reads, path: ({ id }) => `/v1/sessions?context=ctx-${id}` }),
  http('GET /v1/sessions/:id', { ...reads, path: ofSession() }),
  http('DELETE /v1/sessions/:id', { action: 'admin', effect: 'delete', path: ofSession() }),
  http('POST /v1/sessions/:id/end', {
    action: 'publish',
    effect: 'publish',
    ofReserved: 'admin',
    path: ofSession('/end'),
    body: () => ({}),
  }),
  http('POST /v1/sessions/:id/events', {
    action: 'publish',
    effect: 'publish',
    path: ofSession('/events?dialect=sluice'),
    body: () => native,
  }),
  http('GET /v1/sessions/:id/events', { ...reads, path: ofSession('/events'), headers: sse }),
  http('POST /v1/sessions/:id/producers/:name', {
    action: 'publish',
    effect: 'publish',
    path: ofSession('/producers/another'),
  }),
  http('GET /v1/sessions/:id/producers/:name', {
    action: 'publish',
    effect: 'read',
    path: ({ id, secret }) => `/v1/sessions/${id}/producers/p-${secret}`,
  }),
  http('GET /v1/sessions/:id/entries/:seq', { ...reads, path: ofSession('/entries/1') }),
  http('GET /v1/sessions/:id/outline', { action: 'subscribe', path: ofSession('/outline') }),
  http('GET /v1/sessions/:id/questions', { ...reads, path: ofSession('/questions') }),
  http('GET /v1/sessions/:id/inputs', { action: 'publish', effect: 'read', path: ofSession('/inputs') }),
  http('POST /v1/sessions/:id/answers', {
    action: 'answer',
    effect: 'answer',
    path: ofSession('/answers'),
    body: answerOf,
  }),
  http('POST /v1/sessions/:id/cancel', {
    action: 'answer',
    effect: 'answer',
    path: ofSession('/cancel'),
    body: () => ({}),
  }),
  http('POST /v1/sessions/:id/messages', {
    action: 'answer',
    effect: 'answer',
    path: ofSession('/messages'),
    body: () => ({ text: 'x' }),
  }),
]

const otherRoutes: readonly Entrance[] = [
  http('GET /v1/agents'),
  http('GET /v1/agents/:agent', { path: () => `/v1/agents/${agentName}` }),
  http('POST /v1/agents/:agent/runs', {
    action: 'run',
    effect: 'run',
    target: 'run',
    path: () => `/v1/agents/${agentName}/runs`,
    body: () => ({ prompt: 'x' }),
  }),
  {
    name: 'POST /v1/tickets',
    action: 'subscribe',
    effect: 'read',
    target: 'victim',
    async attempt({ gateway }, { id }, by) {
      const asked = { method: 'POST', path: '/v1/tickets', body: { session: id } }
      const { ticket = '' } = JSON.parse(await readAs(gateway.port, asked, by)) as { ticket?: string } // JSON, even a refusal
      return (await send(gateway.port, { path: `/v1/sessions/${id}?ticket=${ticket}` })).text
    },
  },
  http('POST /v1/login', { body: () => ({}) }),
  http('GET /v1/login'),
  http('GET /v1/dialects'),
  http('GET /v1/ws'),
  http('GET /metrics', { action: 'admin', effect: 'metrics', target: 'nobody' }),
  ...[
    'GET /healthz',
    'GET /readyz',
    'GET /openapi.json',
    'GET /schemas',
    'GET /schemas/config.json',
    'GET /schemas/:dialect/:name',
    'GET /',
    'GET /favicon.svg',
    'GET /assets/:file',
    'GET /sessions/:session',
    'GET /conversations/:context',
    'GET /.well-known/aaep-manifest.json',
    'GET /.well-known/jwks.json',
    'GET /aaep/v1/ws',
  ].map((name) => http(name, { path: ({ id }) => (name.split(' ')[1] ?? '').replaceAll(/:\w+/g, id) })),
]

const aaepRoutes: readonly Entrance[] = [
  {
    name: 'POST /aaep/v1/subscriptions',
    action: 'subscribe',
    effect: 'read',
    target: 'victim',
    async attempt({ gateway }, victim, by) {
      const path = `/aaep/v1/subscriptions?session=${victim.id}`
      const asked = { method: 'POST', path, body: subscriptionRequest(false) }
      const { subscription_id: id } = JSON.parse(await readAs(gateway.port, asked, by)) as {
        subscription_id?: string
      } // JSON, even a refusal
      if (id === undefined) return ''
      const stream = { path: `/aaep/v1/events?subscription_id=${id}`, headers: sse }
      return readText(gateway.port, victim, withCredential(stream, by))
    },
  },
  // Nobody reaches the subscriptions of others.
  http('GET /aaep/v1/subscriptions/:id', { target: 'nobody', path: namedSubscription }),
  http('DELETE /aaep/v1/subscriptions/:id', { target: 'nobody', path: namedSubscription }),
  http('GET /aaep/v1/events', {
    target: 'nobody',
    path: ({ subscription }) => `/aaep/v1/events?subscription_id=${subscription}`,
    headers: sse,
  }),
  http('POST /aaep/v1/replies', { action: 'answer', effect: 'answer', body: replyOf }),
  http('GET /events', { ...reads, path: ({ id }) => `/events?session=${id}`, headers: sse }),
  http('POST /messages', { action: 'answer', effect: 'answer', body: replyOf }),
  http('POST /sessions', {
    action: 'run',
    effect: 'run',
    target: 'run',
    body: () => ({ user_message: 'x' }),
  }),
]

/** A message on the gateway's own WebSocket. */
function ws(
  type: string,
  entrance: Omit<Entrance, 'name' | 'attempt' | 'target'>,
  fields: (victim: Victim) => object,
): Entrance {
  return {
    name: `ws ${type}`,
    target: 'victim',
    ...entrance,
    async attempt({ gateway }, victim, { key, ticket }) {
      if (ticket !== undefined) return ''
      const socket = await openSocket(gateway.port, omitUndefined({ key })).catch(() => undefined)
      if (socket === undefined) return ''
      await socket.ask({ type, ref: 'r', ...fields(victim) })
      const text = await settle(socket.messages, victim, () =>
        socket.ask({ type: 'ping', ref: `p${Math.random()}` }),
      )
      socket.close()
      return text
    },
  }
}

const socketMessages: readonly Entrance[] = [
  ws('subscribe', { action: 'subscribe', effect: 'read' }, ({ id }) => ({ session: id })),
  ws('watch', { action: 'subscribe', effect: 'read' }, ({ id }) => ({ context: `ctx-${id}` })),
  ws('unsubscribe', {}, () => ({})),
  ws('ping', {}, () => ({})),
  ws('publish', { action: 'publish', effect: 'publish' }, ({ id }) => ({
    session: id,
    dialect: 'sluice',
    events: [native],
  })),
  ws('answer', { action: 'answer', effect: 'answer' }, (victim) => ({
    session: victim.id,
    ...answerOf(victim),
  })),
  ws('cancel', { action: 'answer', effect: 'answer' }, ({ id }) => ({ session: id })),
  ws('message', { action: 'answer', effect: 'answer' }, ({ id }) => ({ session: id, text: 'x' })),
]

/** A message of AAEP on a connection: as the first one, and after a subscription to everything. */
function aaep(
  type: string,
  entrance: Omit<Entrance, 'name' | 'attempt' | 'target'>,
  fields: (victim: Victim) => object,
): Entrance {
  return {
    name: `aaep ${type}`,
    target: 'victim',
    ...entrance,
    async attempt({ gateway }, victim, { key, ticket }) {
      if (ticket !== undefined) return ''
      const message = { type, ...fields(victim) }
      const [alone] = await Promise.all([
        converse(gateway.port, victim, { messages: [message], key }),
        // This connection may read what it subscribes to, so its text does not count.
        converse(gateway.port, victim, { messages: [subscriptionRequest(true), message], key }),
      ])
      return alone
    },
  }
}

async function converse(
  port: number,
  victim: Victim,
  { messages, key }: { readonly messages: readonly object[]; readonly key: string | undefined },
): Promise<string> {
  const url = `ws://127.0.0.1:${port}/aaep/v1/ws`
  const socket = await openSocket(port, {
    url,
    protocols: ['aaep.v1'],
    ...omitUndefined({ key }),
  })
  for (const message of messages) socket.send(message)
  // Answered in order, with a rejection: it has a subscription already, or this request is invalid.
  const ping = async (): Promise<unknown> => {
    const count = socket.messages.length
    socket.send({ type: 'subscription.request' })
    return socket.waitFor(
      (each) => each['type'] === 'subscription.rejected' && socket.messages.indexOf(each) >= count,
    )
  }
  const text = await settle(socket.messages, victim, ping).catch(() => JSON.stringify(socket.messages))
  socket.close()
  return text
}

const aaepMessages: readonly Entrance[] = [
  aaep('subscription.request', { action: 'subscribe', effect: 'read' }, ({ id }) => ({
    ...subscriptionRequest(false),
    extensions: { sluice: { sessions: [id] } },
  })),
  aaep('subscription.accepted', {}, ({ subscription }) => ({ subscription_id: subscription })),
  aaep('subscription.rejected', {}, () => ({ reason_code: 'unknown', reason_message: 'x' })),
  aaep('subscription.renegotiate', {}, ({ subscription }) => ({
    subscription_id: subscription,
    capabilities: {},
  })),
  aaep('subscription.close', {}, ({ subscription }) => ({ subscription_id: subscription })),
  aaep('confirmation.reply', { action: 'answer', alsoNeeds: 'subscribe', effect: 'answer' }, replyOf),
  aaep('clarification.reply', {}, (victim) => ({
    ...replyOf(victim),
    type: 'clarification.reply',
    decision: undefined,
    response: 'x',
  })),
]

export const entrances: readonly Entrance[] = [
  ...sessionRoutes,
  ...otherRoutes,
  ...aaepRoutes,
  ...socketMessages,
  ...aaepMessages,
  // Last, because a login that was ended opens nothing.
  http('DELETE /v1/login'),
]

/** After this many round trips, everything that an attempt made the gateway say has arrived. */
const roundTrips = 10

async function settle(
  messages: readonly SocketMessage[],
  { secret }: Victim,
  ping: () => Promise<unknown>,
): Promise<string> {
  for (let trip = 0; trip < roundTrips; trip += 1) {
    await ping()
    if (JSON.stringify(messages).includes(secret)) break
  }
  return JSON.stringify(messages)
}

function withCredential(asked: Asked, { key, ticket }: Credential): Asked {
  const separator = asked.path.includes('?') ? '&' : '?'
  return {
    ...asked,
    path: ticket === undefined ? asked.path : `${asked.path}${separator}ticket=${encodeURIComponent(ticket)}`,
    ...omitUndefined({ key }),
  }
}

async function readAs(port: number, asked: Asked, by: Credential): Promise<string> {
  return (await send(port, withCredential(asked, by))).text
}
