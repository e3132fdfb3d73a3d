import type { Readable } from 'node:stream'
import { createJsonElementsDecoder, createNdjsonDecoder, omitUndefined, SluiceError } from '@sluice/protocol'
import type { FastifyInstance, FastifyReply, FastifyRequest, FastifySchema } from 'fastify'
import Type from 'typebox'
import { gatewayRules, type Incoming } from '../../../kernel/sessions/admission.ts'
import { hideDeletion } from '../../../kernel/sessions/hide-deletion.ts'
import { parseProducer } from '../../../kernel/sessions/producers.ts'
import { createPublisher, type Publisher, toAnswer, toIncoming } from '../../../kernel/sessions/publishing.ts'
import { createdBy } from '../../../kernel/sessions/session-info.ts'
import { parseTraceContext } from '../../../ops/trace-context.ts'
import type { Backend } from '../../backend.ts'
import { readBody, toText } from '../../http/body.ts'
import { queryValue, sessionParam } from '../../http/parameters.ts'
import { problemMediaType, retryAfterOf, toProblem, toSluiceError } from '../../http/problem.ts'
import { callerOf } from '../../http/request-caller.ts'
import { jsonAnswer } from '../../openapi/answers.ts'
import { query, sessionParams } from '../../openapi/parameters.ts'
import { anyBody, anyRequest, anySession, anyWrite, toProblems } from '../../openapi/problems.ts'
import { countSchema, cursorSchema, frameSchema } from '../schemas.ts'

/** How much of one streamed body may be on its way to the log before more of it is read. */
const maxStreamedBytes = 1024 * 1024

const findingsSchema = Type.Array(
  Type.Object({
    line: Type.Integer({ minimum: 1 }),
    code: Type.String(),
    path: Type.String({ description: 'A JSON pointer.' }),
    message: Type.String(),
    rule: Type.String({ description: 'The place in the dialect.' }),
  }),
  { maxItems: 100 },
)

const receiptSchema = Type.Object(
  {
    accepted: countSchema,
    duplicates: countSchema,
    refused: findingsSchema,
    refusedCount: Type.Optional(countSchema),
    findings: findingsSchema,
    findingsCount: Type.Optional(countSchema),
    cursor: cursorSchema,
  },
  { $id: 'Receipt' },
)

const publishEventsOperation: FastifySchema = {
  operationId: 'publishEvents',
  tags: ['publishing'],
  summary: 'Publishes events',
  description: 'An array is stored as a whole or not at all; of NDJSON each line stands alone.',
  params: sessionParams,
  querystring: Type.Object({
    agent: query.agent,
    dialect: query.dialect,
    names: Type.Optional(
      Type.String({
        description: 'The events belong to the session, whatever they call it. Needs a dialect.',
        enum: ['ignore'],
      }),
    ),
  }),
  headers: Type.Object({
    'Sluice-Producer': Type.Optional(
      Type.String({
        description: 'NAME; epoch=0; seq=41: the number of the first event of the request.',
      }),
    ),
    traceparent: Type.Optional(
      Type.String({
        description: 'W3C Trace Context, kept with the entries; ignored where it is malformed.',
      }),
    ),
  }),
  body: {
    content: {
      'application/json': { schema: Type.Union([frameSchema, Type.Array(frameSchema)]) },
      'application/x-ndjson': { schema: frameSchema },
    },
  },
  response: {
    200: jsonAnswer('What became of the events; what was accepted is durable.', receiptSchema),
    ...toProblems(
      ...anyRequest,
      ...anySession,
      ...anyBody,
      ...anyWrite,
      'unknown_dialect',
      'undetected_dialect',
      'session_mismatch',
      'session_reserved',
      'session_ended',
      'producer_gap',
      'producer_fenced',
      'too_many_producers',
      'event_too_large',
      'events_refused',
    ),
  },
}

export function addPublishRoutes(app: FastifyInstance, backend: Backend): void {
  app.post('/v1/sessions/:id/events', { schema: publishEventsOperation }, async (request, reply) => {
    const { body } = request
    if (Buffer.isBuffer(body)) return publishBody(backend, request, body)
    if (body === undefined || body === null) throw new SluiceError('unsupported_media_type')
    return publishStream(backend, reply, body as Readable) // the NDJSON parser passes the stream on
  })
}

async function publishBody(backend: Backend, request: FastifyRequest, body: Buffer): Promise<unknown> {
  const batch = toBatch(body, backend.kernel.config.limits.eventBytes)
  const release = backend.kernel.pending.reserve(body.length)
  try {
    const publisher = await startPublishing(backend, request, { atomic: true })
    await publisher.publish(batch)
    const { tally } = publisher
    if (tally.refusedCount === 0) return toAnswer(tally)
    throw new SluiceError('events_refused', {
      details: { refused: [...tally.refused], refusedCount: tally.refusedCount },
    })
  } finally {
    release()
  }
}

/** The events of a JSON body: the elements of an array, or one value. */
function toBatch(body: Buffer, eventBytes: number): readonly Incoming[] {
  if (!/^[\s\ufeff]*\[/.test(body.toString('utf8', 0, 64))) {
    if (body.length <= eventBytes) return [{ ok: true, text: toText(body), line: 1 }]
    const { tooLarge } = gatewayRules
    throw new SluiceError('event_too_large', { message: tooLarge.sentence, details: { limit: eventBytes } })
  }
  const decoder = createJsonElementsDecoder({ maxElementBytes: eventBytes })
  return [...decoder.push(body), ...decoder.end()].map((framed, index) => ({
    ...toIncoming(framed),
    line: index + 1,
  }))
}

async function publishStream(backend: Backend, reply: FastifyReply, body: Readable): Promise<unknown> {
  const { request } = reply
  const { pending, config } = backend.kernel
  const decoder = createNdjsonDecoder({ maxLineBytes: config.limits.eventBytes })
  const publisher = await startPublishing(backend, request, { atomic: false })
  const aborted = new AbortController()
  let bytesInFlight = 0
  let batchesInFlight = 0
  /** Called when a batch is stored or refused. */
  let onSettled = (): void => {}
  let failure: unknown

  const settled = (): Promise<void> =>
    new Promise((resolve) => {
      onSettled = resolve
    })
  const hasRoom = async (): Promise<void> => {
    while (bytesInFlight > maxStreamedBytes) await settled()
  }

  const publish = (batch: readonly Incoming[], bytes: number, release: () => void): void => {
    bytesInFlight += bytes
    batchesInFlight += 1
    const settle = (): void => {
      bytesInFlight -= bytes
      batchesInFlight -= 1
      release()
      onSettled()
    }
    publisher.publish(batch).then(settle, (error: unknown) => {
      failure ??= error
      settle()
      // A client that waits after a line learns immediately that it was not stored.
      reading.fail(error)
    })
  }

  const take = (chunk: Buffer): Promise<void> | undefined => {
    // An upload may last for days, longer than its credential.
    if (!backend.authenticator.isCurrent(callerOf(request))) throw new SluiceError('token_expired')
    const batch = decoder.push(chunk).map(toIncoming)
    if (batch.length === 0) return undefined
    const { length } = chunk
    const release = pending.tryReserve(length)
    if (release === undefined)
      return pending.wait(length, aborted.signal).then((late) => publish(batch, length, late))
    publish(batch, length, release)
    return bytesInFlight > maxStreamedBytes ? hasRoom() : undefined
  }

  const reading = readBody(body, backend.bodies, take)
  try {
    await reading.done
    const rest = decoder.end().map(toIncoming)
    if (rest.length > 0) publish(rest, 0, () => {})
  } catch (error) {
    // If the body breaks off inside a line, its complete lines are stored and that line is not.
    failure ??= error
  }
  aborted.abort()
  while (batchesInFlight > 0) await settled()
  if (failure === undefined) return toAnswer(publisher.tally)
  const error = toSluiceError(hideDeletion(callerOf(request), failure))
  // The rest of the body stays unread, so the connection cannot be reused.
  if (request.raw.httpVersionMajor < 2) reply.header('connection', 'close')
  const retryAfter = retryAfterOf(error)
  if (retryAfter !== undefined) reply.header('retry-after', retryAfter)
  return reply
    .code(toProblem(error).status)
    .type(problemMediaType)
    .send(JSON.stringify({ ...toAnswer(publisher.tally), ...toProblem(error) }))
}

async function startPublishing(
  backend: Backend,
  request: FastifyRequest,
  { atomic }: { readonly atomic: boolean },
): Promise<Publisher> {
  const caller = callerOf(request)
  const { id, foreign } = sessionParam(request)
  const named = queryValue(request, 'dialect')
  const names = queryValue(request, 'names')
  if (names !== undefined && (names !== 'ignore' || named === undefined))
    throw new SluiceError('bad_request', { message: 'names is ignore, and needs a dialect.' })
  const read = names === 'ignore' ? backend.kernel.nameless : backend.kernel.dialect
  const dialect = named === undefined ? undefined : read(named)
  const header = request.headers['sluice-producer']
  const claim = typeof header === 'string' ? parseProducer(header) : undefined
  const session = await backend.kernel.reachOrBegin(caller, id)
  return createPublisher(backend.kernel, {
    session,
    caller,
    dialect,
    claim,
    trace: parseTraceContext(headerOf(request, 'traceparent'), headerOf(request, 'tracestate'))?.traceparent,
    info: { ...createdBy(caller), ...omitUndefined({ foreign }) },
    atomic,
  })
}

function headerOf(request: FastifyRequest, name: string): string | undefined {
  const value = request.headers[name]
  return typeof value === 'string' ? value : undefined
}
