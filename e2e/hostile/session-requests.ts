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

function read(
  name: string,
  { route, path }: { readonly route: string; readonly path: string },
  {
    status = 200,
    headers = {},
  }: {
    readonly status?: number | undefined
    readonly headers?: Readonly<Record<string, string>> | undefined
  } = {},
): SessionRequest {
  const asked = (id: string): Asked => ({ path: `/v1/sessions/${id}${path}`, headers })
  return { name, route: `GET /v1/sessions/:id${route}`, asked, status }
}

function write(
  name: string,
  {
    route,
    body,
    type,
  }: { readonly route: string; readonly body: Asked['body']; readonly type?: string | undefined },
  status: number,
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
  read('snapshot', { route: '', path: '' }),
  read('snapshot at an entry', { route: '', path: '?at=0' }),
  read('snapshot at no entry', { route: '', path: '?at=4711' }, { status: 404 }),
  read('page', { route: '/events', path: '/events' }),
  read('page in a dialect', { route: '/events', path: '/events?dialect=aaep' }),
  read('page of no dialect', { route: '/events', path: '/events?dialect=klingon' }, { status: 400 }),
  read('page behind the end', { route: '/events', path: '/events?after=4711' }, { status: 410 }),
  read('page at no cursor', { route: '/events', path: '/events?after=x' }, { status: 400 }),
  read('server-sent events', { route: '/events', path: '/events' }, { status: 200, headers: sse }),
  read(
    'server-sent events that come back',
    { route: '/events', path: '/events' },
    { status: 200, headers: { ...sse, 'last-event-id': '0' } },
  ),
  read(
    'server-sent events from beyond',
    { route: '/events', path: '/events' },
    { status: 200, headers: { ...sse, 'last-event-id': '4711' } },
  ),
  read('NDJSON', { route: '/events', path: '/events?live=false' }, { status: 200, headers: ndjson }),
  read(
    'a type that there is not',
    { route: '/events', path: '/events' },
    { status: 406, headers: { accept: 'image/png' } },
  ),
  read('questions', { route: '/questions', path: '/questions' }),
  read('entry', { route: '/entries/:seq', path: '/entries/0' }),
  read('no entry', { route: '/entries/:seq', path: '/entries/4711' }, { status: 404 }),
  read('entry in a dialect', { route: '/entries/:seq', path: '/entries/0?dialect=aaep' }),
  read(
    'entry in no dialect',
    { route: '/entries/:seq', path: '/entries/0?dialect=klingon' },
    { status: 400 },
  ),
  read(
    'no entry in a dialect',
    { route: '/entries/:seq', path: '/entries/4711?dialect=aaep' },
    { status: 404 },
  ),
  read('outline', { route: '/outline', path: '/outline' }),
  read('outline behind the end', { route: '/outline', path: '/outline?after=4711' }),
  read('outline at no entry', { route: '/outline', path: '/outline?after=x' }, { status: 400 }),
  read('producer', { route: '/producers/:name', path: '/producers/numbering' }),
  read('no producer', { route: '/producers/:name', path: '/producers/nobody' }, { status: 404 }),
  read('inputs', { route: '/inputs', path: '/inputs' }),
  read('inputs live', { route: '/inputs', path: '/inputs' }, { status: 200, headers: sse }),
  { ...write('event', { route: '/events', body: event }, 200), begins: true },
  { ...write('events', { route: '/events', body: [event, event] }, 200), begins: true },
  {
    ...write(
      'lines',
      { route: '/events', body: `${JSON.stringify(event)}\n`, type: 'application/x-ndjson' },
      200,
    ),
    begins: true,
  },
  { ...write('no JSON', { route: '/events', body: '{', type: 'application/json' }, 422), begins: true },
  {
    ...write('producer that begins anew', { route: '/producers/numbering', body: undefined }, 200),
    route: 'POST /v1/sessions/:id/producers/:name',
    begins: true,
  },
  write('no name of a producer', { route: '/producers/%20', body: undefined }, 400),
  write('no media type', { route: '/events', body: 'x', type: 'text/plain' }, 415),
  write('live answer', { route: '/answers', body: { token: question.token, decision: 'accept' } }, 200),
  write('answer to nothing', { route: '/answers', body: { token: 'tok_none', decision: 'accept' } }, 200),
  write('malformed answer', { route: '/answers', body: { decision: 'accept' } }, 400),
  write('cancel', { route: '/cancel', body: {} }, 202),
  write('message', { route: '/messages', body: { text: 'x' } }, 202),
  write('end', { route: '/end', body: {} }, 200),
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
