import { omitUndefined } from '@sluice/protocol'
import type { Asked } from './http-request.ts'

/** One request about one session. */
export interface SessionRequest {
  readonly name: string
  /** The route, as the gateway lists it. */
  readonly route: string
  readonly asked: (id: string) => Asked
  /** The status of the answer to an authorized caller. */
  readonly status: number
  /** Whether it creates a session that does not exist. */
  readonly begins?: true
}

/** The question that tests publish and leave open; the publisher numbers its events. */
export const question = {
  token: 'tok_live',
  event: { kind: 'question-open', question: 'confirmation', token: 'tok_live', text: 'Go on?' },
}

const sse = { accept: 'text/event-stream' }
const ndjson = { accept: 'application/x-ndjson' }

function read(name: string, route: string, path: string, status = 200, headers = {}): SessionRequest {
  const asked = (id: string): Asked => ({ path: `/v1/sessions/${id}${path}`, headers })
  return { name, route: `GET /v1/sessions/:id${route}`, asked, status }
}

function write(
  name: string,
  route: string,
  body: Asked['body'],
  status: number,
  type?: string,
): SessionRequest {
  const headers = type === undefined ? {} : { 'content-type': type }
  const asked = (id: string): Asked =>
    omitUndefined({
      method: 'POST',
      path: `/v1/sessions/${id}${route}${route === '/events' ? '?dialect=stream-event' : ''}`,
      headers,
      body,
    })
  return { name, route: `POST /v1/sessions/:id${route}`, asked, status }
}

const event = { type: 'answer_chunk', data: { content: 'x' } }

/** Every way to ask for a session by its id over HTTP, well-formed or not. */
export const sessionRequests: readonly SessionRequest[] = [
  read('snapshot', '', ''),
  read('snapshot at an entry', '', '?at=0'),
  read('snapshot at no entry', '', '?at=4711', 404),
  read('page', '/events', '/events'),
  read('page in a dialect', '/events', '/events?dialect=aaep'),
  read('page of no dialect', '/events', '/events?dialect=klingon', 400),
  read('page behind the end', '/events', '/events?after=4711', 410),
  read('page at no cursor', '/events', '/events?after=x', 400),
  read('server-sent events', '/events', '/events', 200, sse),
  read('server-sent events that come back', '/events', '/events', 200, { ...sse, 'last-event-id': '0' }),
  read('server-sent events from beyond', '/events', '/events', 200, { ...sse, 'last-event-id': '4711' }),
  read('NDJSON', '/events', '/events?live=false', 200, ndjson),
  read('a type that there is not', '/events', '/events', 406, { accept: 'image/png' }),
  read('questions', '/questions', '/questions'),
  read('entry', '/entries/:seq', '/entries/0'),
  read('no entry', '/entries/:seq', '/entries/4711', 404),
  read('entry in a dialect', '/entries/:seq', '/entries/0?dialect=aaep'),
  read('entry in no dialect', '/entries/:seq', '/entries/0?dialect=klingon', 400),
  read('no entry in a dialect', '/entries/:seq', '/entries/4711?dialect=aaep', 404),
  read('outline', '/outline', '/outline'),
  read('outline behind the end', '/outline', '/outline?after=4711'),
  read('outline at no entry', '/outline', '/outline?after=x', 400),
  read('producer', '/producers/:name', '/producers/numbering'),
  read('no producer', '/producers/:name', '/producers/nobody', 404),
  read('inputs', '/inputs', '/inputs'),
  read('inputs live', '/inputs', '/inputs', 200, sse),
  { ...write('event', '/events', event, 200), begins: true },
  { ...write('events', '/events', [event, event], 200), begins: true },
  { ...write('lines', '/events', `${JSON.stringify(event)}\n`, 200, 'application/x-ndjson'), begins: true },
  { ...write('no JSON', '/events', '{', 422, 'application/json'), begins: true },
  {
    ...write('producer that begins anew', '/producers/numbering', undefined, 200),
    route: 'POST /v1/sessions/:id/producers/:name',
    begins: true,
  },
  write('no name of a producer', '/producers/%20', undefined, 400),
  write('no media type', '/events', 'x', 415, 'text/plain'),
  write('live answer', '/answers', { token: question.token, decision: 'accept' }, 200),
  write('answer to nothing', '/answers', { token: 'tok_none', decision: 'accept' }, 200),
  write('malformed answer', '/answers', { decision: 'accept' }, 400),
  write('cancel', '/cancel', {}, 202),
  write('message', '/messages', { text: 'x' }, 202),
  write('end', '/end', {}, 200),
  {
    name: 'ticket',
    route: 'POST /v1/tickets',
    asked: (session) => ({ method: 'POST', path: '/v1/tickets', body: { session } }),
    status: 200,
  },
  {
    name: 'delete',
    route: 'DELETE /v1/sessions/:id',
    asked: (id) => ({ method: 'DELETE', path: `/v1/sessions/${id}` }),
    status: 204,
  },
]

/** The same over WebSocket. */
export const socketRequests: readonly { readonly [field: string]: unknown; readonly begins?: true }[] = [
  { type: 'subscribe' },
  { type: 'subscribe', dialect: 'aaep', after: '4711' },
  { type: 'publish', dialect: 'stream-event', events: [event], begins: true },
  { type: 'answer', token: question.token, decision: 'accept' },
  { type: 'cancel' },
  { type: 'message', text: 'x' },
]
