import { readdirSync, readFileSync } from 'node:fs'
import { dialects } from '@sluice/protocol/dialects'
import fc from 'fast-check'
import { anyEvent } from '../../packages/protocol/src/testing/arbitrary-events.ts'
import type { Asked } from './http-request.ts'
import { localKey } from './start-gateway.ts'

/** A placeholder in ids that the sender replaces: ended and deleted sessions are of no further use. */
export const generation = 'G7G7'

/** The sessions that random requests are about; few, so that requests collide. */
const sessions = [
  `sess_${generation}a`,
  `sess_${generation}b`,
  `sess_${generation}c`,
  `${generation} foreign/ü`,
]

const words: fc.Arbitrary<string> = fc.oneof(
  fc.constantFrom('', '0', '-1', '1.2', '99999999', '1e9', 'true', '..', '%', 'NaN', 'x'.repeat(3000)),
  fc.constantFrom('__proto__', 'constructor', 'toString', 'hasOwnProperty', '\0', '\ud83d'),
  fc.string({ unit: 'binary', maxLength: 20 }),
)

/** Mostly expected values, so that requests get far, and sometimes others. */
function mostly<T>(usual: fc.Arbitrary<T>, rare: fc.Arbitrary<T>): fc.Arbitrary<T> {
  return fc.oneof({ weight: 9, arbitrary: usual }, { weight: 1, arbitrary: rare })
}
const oneOf = (...values: readonly string[]): fc.Arbitrary<string> =>
  mostly(fc.constantFrom(...values), words)

/** Some of the fields of a record, each with a probability of its weight out of 20. */
function someOf(fields: Readonly<Record<string, readonly [weight: number, fc.Arbitrary<string>]>>) {
  const parts = Object.entries(fields).map(([name, [weight, value]]) =>
    fc.oneof(
      { weight, arbitrary: value.map((text) => [[name, text] as const]) },
      { weight: 20 - weight, arbitrary: fc.constant([]) },
    ),
  )
  return fc.tuple(...parts).map((each) => each.flat())
}

const session = oneOf(...sessions)
const dialect = oneOf(...dialects.map(({ id }) => id))
const cursor = oneOf('-1', '0', '1', '0.1', '2.0.1', 'now', '5000')
const coalescing = oneOf('word', 'sentence', 'paragraph', '40ms', '10000ms')

const parameters: Readonly<Record<string, fc.Arbitrary<string>>> = {
  id: session,
  seq: oneOf('0', '1', '2', '7'),
  dialect,
  name: oneOf('p', 'q', 'event.json', 'entry.json'),
}

const query = someOf({
  dialect: [8, dialect],
  after: [5, cursor],
  coalesce: [4, coalescing],
  live: [4, oneOf('true', 'false')],
  cursors: [3, oneOf('true', 'false')],
  limit: [3, oneOf('1', '2', '1000')],
  at: [2, oneOf('0', '1', '2')],
  page: [1, words],
  state: [2, oneOf('open', 'waiting', 'ended')],
  context: [1, words],
  label: [2, oneOf('team:blue')],
  q: [2, words],
  agent: [2, words],
  ticket: [1, words],
}).map((pairs) => pairs.map(([name, value]) => `${name}=${percentEncode(value)}`).join('&'))

const headerText = fc.string({ maxLength: 30 }).map((text) => text.replace(/[^\x20-\x7e]/g, '?').trim())
const header = (...values: readonly string[]) => mostly(fc.constantFrom(...values), headerText)
const numbered = fc
  .tuple(fc.constantFrom('p', 'q'), fc.nat(2), fc.nat(4))
  .map(([name, epoch, seq]) => `${name}; epoch=${epoch}; seq=${seq}`)
const headers = someOf({
  accept: [
    15,
    header('application/json', 'application/x-ndjson', 'text/event-stream', '*/*', 'image/png', ';,='),
  ],
  authorization: [14, mostly(fc.constant(`Bearer ${localKey}`), headerText)],
  'accept-encoding': [5, header('gzip', 'gzip;q=0', 'br', '*')],
  'last-event-id': [3, header('0', '1', '0.1', '7000')],
  'sluice-producer': [4, mostly(numbered, headerText)],
  'idempotency-key': [3, header('k')],
  cookie: [1, headerText],
  origin: [2, fc.constantFrom('http://localhost', 'null', 'https://evil.example', 'x')],
  host: [2, fc.constantFrom('localhost', 'evil.example', 'localhost:1', '[::1]', '')],
  traceparent: [2, header('00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01')],
  expect: [1, fc.constant('100-continue')],
}).map((pairs) => Object.fromEntries(pairs))

/** Lines of real recordings, by dialect. */
const recorded = dialects.map(({ id }) => {
  const folder = new URL(`../../packages/protocol/src/dialects/${id}/fixtures/`, import.meta.url)
  const names = readdirSync(folder).filter((name) => name.endsWith('.ndjson'))
  const lines = names.flatMap((name) =>
    readFileSync(new URL(name, folder), 'utf8').split('\n').filter(Boolean),
  )
  return { id, lines, event: fc.constantFrom(...lines) }
})
/** Events by dialect: recorded ones, and any event of the model. */
const publishable = [
  ...recorded,
  { id: 'sluice', event: anyEvent.map((event) => JSON.stringify({ events: [event] })) },
]

const brokenText: fc.Arbitrary<string> = fc.oneof(
  fc.json({ maxDepth: 4 }),
  fc
    .constantFrom(...recorded.flatMap(({ lines }) => lines.slice(0, 3)))
    .chain((line) => fc.nat(line.length).map((end) => line.slice(0, end))),
  fc.integer({ min: 60, max: 5000 }).map((depth) => `{"type":"log","data":${'['.repeat(depth)}`),
  fc.string({ unit: 'binary', maxLength: 40 }),
)

/** A plausible publication: a dialect, and events that are valid in it or nearly so. */
const publication: fc.Arbitrary<Asked> = fc
  .tuple(
    fc.constantFrom(...publishable),
    fc.constantFrom(...sessions),
    headers,
    fc.constantFrom('one', 'array', 'lines'),
  )
  .chain(([{ id, event: usual }, to, head, form]) => {
    const event = mostly(usual, brokenText)
    return fc.array(event, { minLength: 1, maxLength: form === 'one' ? 1 : 6 }).map((texts) => {
      const own = texts.map((text) => text.replace(/"session_id":"[^"]*"/, `"session_id":"${to}"`))
      const type = form === 'lines' ? 'application/x-ndjson' : 'application/json'
      return {
        method: 'POST',
        path: `/v1/sessions/${percentEncode(to)}/events?dialect=${id}`,
        headers: { ...head, 'content-type': type },
        body: form === 'one' ? own.join('') : form === 'lines' ? own.join('\n') : `[${own.join(',')}]`,
      }
    })
  })

/** Bodies of the requests that expect certain fields, valid or nearly so. */
const command = someOf({
  token: [6, fc.constantFrom('tok_live', 't', '')],
  decision: [4, fc.constantFrom('accept', 'reject', 'perhaps')],
  response: [2, fc.string()],
  reason: [2, fc.string()],
  text: [4, fc.string({ unit: 'binary' })],
  session: [3, fc.constantFrom(...sessions)],
  outcome: [2, fc.constantFrom('completed', 'failed', 'great')],
  foreign: [2, fc.string()],
  context: [2, fc.string()],
}).map((pairs) => JSON.stringify(Object.fromEntries(pairs)))

const json = { 'content-type': 'application/json' }
const body: fc.Arbitrary<Pick<Asked, 'body' | 'headers'>> = fc.oneof(
  { weight: 3, arbitrary: fc.constant({}) },
  { weight: 5, arbitrary: command.map((text) => ({ body: text, headers: json })) },
  { weight: 1, arbitrary: fc.constant({ body: '{}', headers: json }) },
  { weight: 1, arbitrary: brokenText.map((text) => ({ body: text, headers: json })) },
  { weight: 1, arbitrary: fc.uint8Array({ maxLength: 60 }).map((bytes) => ({ body: bytes, headers: json })) },
  {
    weight: 1,
    arbitrary: fc
      .tuple(fc.string(), headerText)
      .map(([text, type]) => ({ body: text, headers: { 'content-type': type } })),
  },
)

const nearRoutes = [
  'PUT /v1/sessions',
  'PATCH /v1/sessions/:id',
  'OPTIONS /v1/sessions',
  'HEAD /healthz',
  'GET /:id/:id',
  'GET //',
  'GET /v1/ws',
]

/** Any request to one of these routes (`METHOD /path/:parameter`), or near one. */
export function anyRequest(routes: readonly string[]): fc.Arbitrary<Asked> {
  const route = mostly(fc.constantFrom(...routes), fc.constantFrom(...nearRoutes))
  const other = fc.tuple(route, query, headers, body).chain(([text, search, head, sent]) => {
    const [method = 'GET', pattern = '/'] = text.split(' ')
    const names = [...pattern.matchAll(/:(\w+)/g)].map(([, name = '']) => name)
    return fc.tuple(...names.map((name) => parameters[name] ?? words)).map((values) => {
      let index = 0
      const path = pattern.replace(/:\w+/g, () => percentEncode(String(values[index++])))
      const hasBody = method !== 'GET' && method !== 'HEAD'
      return {
        method,
        path: search === '' ? path : `${path}?${search}`,
        ...(hasBody ? sent : {}),
        headers: { ...head, ...(hasBody ? sent.headers : {}) },
      }
    })
  })
  return fc.oneof({ weight: 1, arbitrary: publication }, { weight: 3, arbitrary: other })
}

/** The fields of each message; one is left out now and then. */
const messageFields: Readonly<Record<string, Readonly<Record<string, fc.Arbitrary<unknown>>>>> = {
  subscribe: { session, dialect, after: cursor, coalesce: coalescing },
  unsubscribe: {},
  publish: {
    session,
    dialect: mostly<string>(fc.constant('sluice'), dialect),
    events: fc.array(
      mostly<unknown>(
        anyEvent.map((event) => ({ events: [event] })),
        fc.jsonValue(),
      ),
      { maxLength: 3 },
    ),
  },
  answer: { session, token: fc.constant('tok_live'), decision: fc.constantFrom('accept', 'perhaps') },
  cancel: { session, reason: fc.string() },
  message: { session, text: fc.string() },
  ping: {},
  toString: { session },
}
const message = fc.constantFrom(...Object.entries(messageFields)).chain(([type, fields]) =>
  fc
    .tuple(
      fc.record({ ref: mostly<unknown>(fc.constantFrom('a', 'b'), fc.jsonValue()), ...fields }),
      mostly<string | undefined>(fc.constant(undefined), fc.constantFrom('ref', ...Object.keys(fields))),
    )
    .map(([whole, leftOut]) =>
      JSON.stringify({
        type,
        ...Object.fromEntries(Object.entries(whole).filter(([name]) => name !== leftOut)),
      }),
    ),
)

/** Any message to the WebSocket: valid, nearly so, or not at all. */
export const anyMessage: fc.Arbitrary<string | Uint8Array> = mostly<string | Uint8Array>(
  message,
  fc.oneof(fc.json(), fc.string({ unit: 'binary' }), fc.uint8Array({ maxLength: 20 })),
)

/** Percent-encodes a text. For lone surrogates, adds a deliberately invalid sequence that can be sent. */
function percentEncode(text: string): string {
  return text.isWellFormed() ? encodeURIComponent(text) : `${encodeURIComponent(text.toWellFormed())}%ED%A0`
}
