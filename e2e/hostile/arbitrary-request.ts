import { readdirSync, readFileSync } from 'node:fs'
import { dialects } from '@sluice/protocol/dialects'
import fc from 'fast-check'
import { anyEvent } from '../../packages/protocol/src/testing/arbitrary-events.ts'
import type { Asked } from './http-request.ts'
import { localKey } from './start-gateway.ts'

/** Sessions that random requests are about; few, so that requests meet. */
export const pool: readonly string[] = [
  'sess_r1',
  'sess_r2',
  'sess_r3',
  'a foreign id/ü',
  `sess_${'a'.repeat(64)}`,
]

const words: fc.Arbitrary<string> = fc.oneof(
  fc.constantFrom(
    '',
    '0',
    '-1',
    '1',
    'now',
    '1.2',
    '3.1.4',
    '99999999',
    '1e9',
    'true',
    'false',
    '..',
    '%',
    'NaN',
  ),
  fc.constantFrom('__proto__', 'constructor', 'toString', 'hasOwnProperty', '\0', '\ud83d', 'x'.repeat(3000)),
  fc.string({ unit: 'binary', maxLength: 20 }),
)
const often = <T>(usual: fc.Arbitrary<T>, rare: fc.Arbitrary<T>): fc.Arbitrary<T> =>
  fc.oneof({ weight: 3, arbitrary: usual }, { weight: 1, arbitrary: rare })

const session = often(fc.constantFrom(...pool), words)
const dialect = often(fc.constantFrom(...dialects.map(({ id }) => id)), words)

const parameters: Readonly<Record<string, fc.Arbitrary<string>>> = {
  id: session,
  seq: often(fc.nat(20).map(String), words),
  producer: often(fc.constantFrom('p', 'q'), words),
  dialect,
  name: often(fc.constantFrom('event.json', 'entry.json'), words),
}

const queries: Readonly<Record<string, fc.Arbitrary<string>>> = {
  dialect,
  after: often(fc.constantFrom('-1', '0', '1', '0.1', '2.0.1', 'now', '5000'), words),
  coalesce: often(fc.constantFrom('word', 'sentence', 'paragraph', '40ms', '10000ms'), words),
  live: often(fc.constantFrom('true', 'false'), words),
  cursors: often(fc.constantFrom('true', 'false'), words),
  limit: often(fc.constantFrom('1', '2', '1000'), words),
  at: parameters['seq'] ?? words,
  page: words,
  state: often(fc.constantFrom('open', 'waiting', 'ended'), words),
  context: words,
  label: often(fc.constant('team:blue'), words),
  q: words,
  agent: words,
  ticket: words,
}

const query = fc
  .array(
    fc
      .constantFrom(...Object.keys(queries))
      .chain((name) => fc.tuple(fc.constant(name), queries[name] ?? words)),
    {
      maxLength: 4,
    },
  )
  .map((pairs) => pairs.map(([name, value]) => `${name}=${percentEncode(value)}`).join('&'))

const media = fc.constantFrom(
  'application/json',
  'application/x-ndjson',
  'text/event-stream',
  '*/*',
  'image/png',
  ';,=',
)
const headerText = fc.string({ maxLength: 30 }).map((text) => text.replace(/[^\x20-\x7e]/g, '?').trim())
const headers = fc.record(
  {
    accept: often(media, headerText),
    'accept-encoding': fc.constantFrom('gzip', 'gzip;q=0', 'br', '*'),
    'last-event-id': often(fc.constantFrom('0', '1', '0.1', '7000'), headerText),
    'sluice-producer': often(
      fc
        .tuple(fc.constantFrom('p', 'q'), fc.nat(3), fc.nat(6))
        .map(([name, epoch, seq]) => `${name}; epoch=${epoch}; seq=${seq}`),
      headerText,
    ),
    'idempotency-key': headerText,
    authorization: often(fc.constant(`Bearer ${localKey}`), headerText),
    cookie: headerText,
    origin: fc.constantFrom('http://localhost', 'null', 'https://evil.example', 'x'),
    host: often(fc.constant('localhost'), fc.constantFrom('evil.example', 'localhost:1', '[::1]', '')),
    traceparent: often(fc.constant('00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01'), headerText),
    expect: fc.constant('100-continue'),
  },
  { requiredKeys: [] },
)

const recorded = dialects.flatMap(({ id }) => {
  const folder = new URL(`../../packages/protocol/src/dialects/${id}/fixtures/`, import.meta.url)
  return readdirSync(folder)
    .filter((name) => name.endsWith('.ndjson'))
    .flatMap((name) => readFileSync(new URL(name, folder), 'utf8').split('\n').filter(Boolean))
})

const eventText: fc.Arbitrary<string> = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom(...recorded) },
  { weight: 2, arbitrary: anyEvent.map((event) => JSON.stringify({ events: [event] })) },
  { weight: 2, arbitrary: fc.json({ maxDepth: 4 }) },
  {
    weight: 1,
    arbitrary: fc.tuple(fc.constantFrom(...recorded), fc.nat(400)).map(([text, cut]) => text.slice(0, cut)),
  },
  {
    weight: 1,
    arbitrary: fc.integer({ min: 60, max: 5000 }).map((depth) => `{"type":"log","data":${'['.repeat(depth)}`),
  },
  { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 40 }) },
)

/** Bodies of the requests that have a form of their own, or almost. */
const commandText = fc
  .record(
    {
      token: fc.constantFrom('t', 'tok_live', ''),
      decision: fc.constantFrom('accept', 'reject', 'perhaps'),
      response: fc.oneof(fc.string(), fc.double(), fc.boolean()),
      reason: fc.string(),
      text: fc.string(),
      parts: fc.array(
        fc.constantFrom({ type: 'text', text: 'x' }, { type: 'file' }, { type: 'data', data: null }),
        { maxLength: 3 },
      ),
      session: fc.constantFrom(...pool),
      outcome: fc.constantFrom('completed', 'failed', 'great'),
      labels: fc.dictionary(fc.constantFrom('team', '__proto__'), fc.string({ maxLength: 5 })),
      attributes: fc.dictionary(fc.string({ maxLength: 5 }), fc.jsonValue()),
      foreign: fc.string(),
    },
    { requiredKeys: [] },
  )
  .chain((whole) => fc.subarray(Object.entries(whole), { maxLength: 2 }))
  .map((entries) => JSON.stringify(Object.fromEntries(entries)))

const body: fc.Arbitrary<Pick<Asked, 'body' | 'headers'>> = fc.oneof(
  fc.constant({}),
  eventText.map((text) => ({ body: text, headers: { 'content-type': 'application/json' } })),
  commandText.map((text) => ({ body: text, headers: { 'content-type': 'application/json' } })),
  fc.array(eventText, { maxLength: 4 }).map((texts) => ({
    body: `[${texts.join(',')}]`,
    headers: { 'content-type': 'application/json; charset=utf-8' },
  })),
  fc.array(eventText, { maxLength: 4 }).map((texts) => ({
    body: texts.join('\n'),
    headers: { 'content-type': 'application/x-ndjson' },
  })),
  fc
    .uint8Array({ maxLength: 60 })
    .map((bytes) => ({ body: bytes, headers: { 'content-type': 'application/json' } })),
  fc
    .tuple(fc.string(), headerText)
    .map(([text, type]) => ({ body: text, headers: { 'content-type': type } })),
)

/** Any request to one of these routes (`METHOD /path/:parameter`), or to somewhere near. */
export function anyRequest(routes: readonly string[]): fc.Arbitrary<Asked> {
  const route = often(
    fc.constantFrom(...routes),
    fc.constantFrom(
      'PUT /v1/sessions',
      'PATCH /v1/sessions/:id',
      'OPTIONS /v1/sessions',
      'HEAD /healthz',
      'GET /:id/:id',
      'GET //',
      'GET /v1/ws',
    ),
  )
  return fc.tuple(route, query, headers, body).chain(([text, search, head, sent]) => {
    const [method = 'GET', pattern = '/'] = text.split(' ')
    const names = [...pattern.matchAll(/:(\w+)/g)].map(([, name = '']) => name)
    return fc.tuple(...names.map((name) => parameters[name] ?? words)).map((values) => {
      let index = 0
      const path = pattern.replace(/:\w+/g, () => percentEncode(String(values[index++])))
      return {
        method,
        path: search === '' ? path : `${path}?${search}`,
        ...sent,
        headers: { ...head, ...sent.headers },
      }
    })
  })
}

const ref = often(fc.constantFrom('a', 'b'), fc.string({ maxLength: 5 }))
/** Any message to the WebSocket: of its form, almost, or not at all. */
export const anyMessage: fc.Arbitrary<string | Uint8Array> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc
      .record(
        {
          type: fc.constantFrom(
            'subscribe',
            'unsubscribe',
            'publish',
            'answer',
            'cancel',
            'message',
            'ping',
            'toString',
          ),
          ref,
          session,
          dialect,
          after: queries['after'] ?? words,
          coalesce: queries['coalesce'] ?? words,
          events: fc.array(
            fc.oneof(
              anyEvent.map((event) => ({ events: [event] })),
              fc.jsonValue(),
            ),
            { maxLength: 3 },
          ),
          producer: fc.record({
            name: fc.constantFrom('p', 'q', ''),
            epoch: fc.nat(2),
            seq: fc.integer({ min: -1, max: 4 }),
          }),
          token: fc.constant('tok_live'),
          decision: fc.constantFrom('accept', 'perhaps'),
          text: fc.string(),
        },
        { requiredKeys: ['type'] },
      )
      .chain(({ type, ...rest }) =>
        fc
          .subarray(Object.entries(rest), { minLength: 0 })
          .map((fields) => JSON.stringify({ type, ...Object.fromEntries(fields) })),
      ),
  },
  { weight: 1, arbitrary: fc.json() },
  { weight: 1, arbitrary: fc.string({ unit: 'binary' }) },
  { weight: 1, arbitrary: fc.uint8Array({ maxLength: 20 }) },
)

/** Percent-encodes what can be, and puts the rest into a form that is broken on purpose but can be sent. */
function percentEncode(text: string): string {
  return text.isWellFormed() ? encodeURIComponent(text) : `${encodeURIComponent(text.toWellFormed())}%ED%A0`
}
