import { omitUndefined, SluiceError } from '@sluice/protocol'
import type { FastifyInstance, FastifySchema } from 'fastify'
import Type from 'typebox'
import { isProducerName } from '../../../kernel/sessions/producers.ts'
import { createdBy, subjectWriter } from '../../../kernel/sessions/session-info.ts'
import type { Backend } from '../../backend.ts'
import { sessionParam } from '../../http/parameters.ts'
import { callerOf } from '../../http/request-caller.ts'
import { jsonAnswer } from '../../openapi/answers.ts'
import { sessionParams, sessionQuery } from '../../openapi/parameters.ts'
import { anyRequest, anySession, anyWrite, toProblems } from '../../openapi/problems.ts'
import { countSchema } from '../schemas.ts'

const tags = ['publishing']

const producerParams = Type.Object({
  ...sessionParams.properties,
  name: Type.String({ description: 'The name of the producer.', pattern: '^[!-+\\--:<-~]{1,128}$' }),
})

const producerMarkSchema = Type.Object(
  { producer: Type.String(), epoch: countSchema, seq: Type.Integer({ minimum: -1 }) },
  { $id: 'ProducerMark' },
)

const claimProducerOperation: FastifySchema = {
  operationId: 'claimProducer',
  tags,
  summary: 'Takes the name of a producer over',
  params: producerParams,
  querystring: sessionQuery,
  response: {
    200: jsonAnswer('The epoch to number under; the numbers begin with 0.', producerMarkSchema),
    ...toProblems(
      ...anyRequest,
      ...anyWrite,
      ...anySession,
      'session_reserved',
      'session_ended',
      'too_many_producers',
    ),
  },
}

const getProducerOperation: FastifySchema = {
  operationId: 'getProducer',
  tags,
  summary: 'The last number that was taken from a producer',
  params: producerParams,
  querystring: sessionQuery,
  response: {
    200: jsonAnswer('Its epoch and its last number.', producerMarkSchema),
    ...toProblems(...anyRequest, ...anySession, 'session_reserved', 'unknown_producer'),
  },
}

export function addProducerRoutes(app: FastifyInstance, backend: Backend): void {
  app.post('/v1/sessions/:id/producers/:name', { schema: claimProducerOperation }, async (request) => {
    const caller = callerOf(request)
    const { id, foreign } = sessionParam(request)
    const { name = '' } = request.params as { readonly name?: string } // the route has it
    if (!isProducerName(name))
      throw new SluiceError('bad_request', { message: 'This is no name of a producer.' })
    const session = await backend.kernel.reachOrBegin(caller, id)
    const info = { ...createdBy(caller), ...omitUndefined({ foreign }) }
    return {
      producer: name,
      ...(await session.write((writer) => writer.claim(name, info, subjectWriter(caller.subject)))),
    }
  })

  app.get('/v1/sessions/:id/producers/:name', { schema: getProducerOperation }, async (request) => {
    const { id } = sessionParam(request)
    const { name: producer = '' } = request.params as { readonly name?: string } // the route has it
    await backend.kernel.reach(callerOf(request), id, 'publish')
    const head = await backend.kernel.log.head(id)
    const mark =
      head !== undefined && Object.hasOwn(head.producers, producer) ? head.producers[producer] : undefined
    if (mark === undefined) throw new SluiceError('unknown_producer')
    return { producer, ...mark }
  })
}
