import { dialects } from '@sluice/protocol/dialects'
import type { Header, Parameter, Reference } from './model.ts'

const text = { type: 'string' }

/** The parameters of the document, by the name under which operations refer to them. */
export const parameters = {
  id: {
    name: 'id',
    in: 'path',
    required: true,
    description: 'The id of a session, or its id in the contract of its producer, percent-encoded.',
    schema: text,
  },
  agent: {
    name: 'agent',
    in: 'query',
    description: 'The agent whose foreign id is meant.',
    schema: text,
  },
  dialect: {
    name: 'dialect',
    in: 'query',
    description: 'The contract of the events.',
    schema: { type: 'string', enum: dialects.map(({ id }) => id) },
  },
  names: {
    name: 'names',
    in: 'query',
    description: 'The events belong to the session, whatever they call it. Needs a dialect.',
    schema: { type: 'string', enum: ['ignore'] },
  },
  after: {
    name: 'after',
    in: 'query',
    description: 'A cursor: reading begins behind it. -1 is the start, now the end.',
    schema: { type: 'string', default: '-1', pattern: '^(now|(-1|\\d{1,15})(\\.\\d{1,15}){0,2})$' },
  },
  coalesce: {
    name: 'coalesce',
    in: 'query',
    description: 'Joins pieces of text until a boundary, or all that came within 1ms to 10000ms.',
    schema: { type: 'string', pattern: '^(word|sentence|paragraph|\\d{1,5}ms)$' },
  },
  live: {
    name: 'live',
    in: 'query',
    description: 'False ends a stream where the session stood when the request came.',
    schema: { type: 'boolean', default: true },
  },
  cursors: {
    name: 'cursors',
    in: 'query',
    description: 'Puts each line of NDJSON into an object with its cursor.',
    schema: { type: 'boolean', default: false },
  },
  frames: {
    name: 'limit',
    in: 'query',
    description: 'How many frames a JSON page holds at most.',
    schema: { type: 'integer', minimum: 1, maximum: 1000, default: 100 },
  },
  lastEventId: {
    name: 'Last-Event-ID',
    in: 'header',
    description: 'The last id of a stream of server-sent events that broke off; it wins over after.',
    schema: text,
  },
  idempotencyKey: {
    name: 'Idempotency-Key',
    in: 'header',
    description: 'A repeated request with the same key answers what the first one made.',
    schema: text,
  },
  producer: {
    name: 'Sluice-Producer',
    in: 'header',
    description: 'NAME; epoch=0; seq=41: the number of the first event of the request.',
    schema: text,
  },
  traceparent: {
    name: 'traceparent',
    in: 'header',
    description: 'W3C Trace Context, kept with the entries; ignored where it is malformed.',
    schema: text,
  },
} as const satisfies Readonly<Record<string, Parameter>>

/** The headers of answers, by name. */
export const headers = {
  'Sluice-Request-Id': { description: 'The id of the request, as in the log of the gateway.', schema: text },
  'Sluice-Session': { description: 'The id of the session.', schema: text },
  'Sluice-Counted': {
    description: 'Whether the reply decided its question; for callers with the right to answer.',
    schema: { type: 'boolean' },
  },
  'Sluice-Cursor': { description: 'The last entry when the answer began.', schema: text },
  'Retry-After': { description: 'Seconds after which to try again.', schema: { type: 'integer' } },
  Location: { description: 'The address of what was created.', schema: text },
} as const satisfies Readonly<Record<string, Header>>

/** References to parameters of the document. */
export const refer = (...names: readonly (keyof typeof parameters)[]): readonly Reference[] =>
  names.map((name) => ({ $ref: `#/components/parameters/${name}` }))

/** References to headers of the document; every answer has the id of its request. */
export const referHeaders = (
  ...names: readonly (keyof typeof headers)[]
): Readonly<Record<string, Reference>> =>
  Object.fromEntries(
    ['Sluice-Request-Id', ...names].map((name) => [name, { $ref: `#/components/headers/${name}` }]),
  )
