import { answer, emptyAnswer, streamedAnswer } from './answers.ts'
import type { Paths } from './model.ts'
import { refer } from './parameters.ts'
import { anyBody, anyRequest, anySession, anyWrite, toProblems } from './problems.ts'
import { toRef } from './schemas.ts'

/** docs/http-api.md, Publishing and Reading. */
const producerParameters = [
  ...refer('id', 'agent'),
  {
    name: 'name',
    in: 'path' as const,
    required: true,
    description: 'The name of the producer.',
    schema: { type: 'string', pattern: '^[!-+\\--:<-~]{1,128}$' },
  },
]

export const eventPaths: Paths = {
  '/v1/sessions/{id}/events': {
    post: {
      operationId: 'publishEvents',
      tags: ['publishing'],
      summary: 'Publishes events',
      description: 'An array is stored as a whole or not at all; of NDJSON each line stands alone.',
      parameters: refer('id', 'agent', 'dialect', 'names', 'producer', 'traceparent'),
      requestBody: {
        required: true,
        content: {
          'application/json': {
            schema: { anyOf: [toRef('Frame'), { type: 'array', items: toRef('Frame') }] },
          },
          'application/x-ndjson': { schema: toRef('Frame') },
        },
      },
      responses: {
        200: answer('What became of the events; what was accepted is durable.', 'Receipt'),
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
    },
    get: {
      operationId: 'readEvents',
      tags: ['reading'],
      summary: 'Reads a session in the contract that the client speaks',
      security: [{ bearer: [] }, { ticket: [] }, {}],
      parameters: refer(
        'id',
        'agent',
        'dialect',
        'after',
        'coalesce',
        'live',
        'cursors',
        'frames',
        'lastEventId',
      ),
      responses: {
        200: streamedAnswer('The frames behind the cursor.', 'FramePage', 'Frame'),
        204: emptyAnswer('The session has ended, and nothing follows the cursor.'),
        ...toProblems(...anyRequest, ...anySession, 'unknown_dialect', 'bad_cursor', 'not_acceptable', 'gap'),
      },
    },
  },
  '/v1/dialects': {
    get: {
      operationId: 'listDialects',
      tags: ['reading'],
      summary: 'The contracts that the gateway speaks',
      responses: { 200: answer('Their ids and titles.', 'DialectList'), ...toProblems(...anyRequest) },
    },
  },
  '/v1/sessions/{id}/producers/{name}': {
    post: {
      operationId: 'claimProducer',
      tags: ['publishing'],
      summary: 'Takes the name of a producer over',
      parameters: producerParameters,
      responses: {
        200: answer('The epoch to number under; the numbers begin with 0.', 'ProducerMark'),
        ...toProblems(
          ...anyRequest,
          ...anyWrite,
          ...anySession,
          'session_reserved',
          'session_ended',
          'too_many_producers',
        ),
      },
    },
    get: {
      operationId: 'getProducer',
      tags: ['publishing'],
      summary: 'The last number that was taken from a producer',
      parameters: producerParameters,
      responses: {
        200: answer('Its epoch and its last number.', 'ProducerMark'),
        ...toProblems(...anyRequest, ...anySession, 'session_reserved', 'unknown_producer'),
      },
    },
  },
}
