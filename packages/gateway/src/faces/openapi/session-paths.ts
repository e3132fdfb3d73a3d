import { answer, emptyAnswer, jsonBody, toJsonContent } from './answers.ts'
import type { Parameter, Paths } from './model.ts'
import { refer, referHeaders } from './parameters.ts'
import { anyBody, anyRequest, anySession, anyWrite, toProblems } from './problems.ts'
import { toRef } from './schemas.ts'

const tags = ['sessions']
const text = { type: 'string' }
const query = (name: string, description: string, schema: object): Parameter => ({
  name,
  in: 'query',
  description,
  schema,
})

/** docs/http-api.md, Sessions. */
export const sessionPaths: Paths = {
  '/v1/sessions': {
    post: {
      operationId: 'createSession',
      tags,
      summary: 'Creates a session',
      parameters: refer('idempotencyKey'),
      requestBody: jsonBody('SessionRequest', { required: false }),
      responses: {
        200: answer('The session that a request with the same key has made.', 'Session', 'Location'),
        201: answer('The session.', 'Session', 'Location'),
        ...toProblems(...anyRequest, ...anyBody, ...anyWrite, 'session_exists', 'session_deleted'),
      },
    },
    get: {
      operationId: 'listSessions',
      tags,
      summary: 'Lists sessions, newest first',
      parameters: [
        query('limit', 'How many sessions a page holds at most.', {
          type: 'integer',
          minimum: 1,
          maximum: 200,
          default: 50,
        }),
        query('page', 'The next of the page before.', text),
        query('state', 'Only sessions in this state.', {
          type: 'string',
          enum: ['open', 'waiting', 'ended'],
        }),
        query('context', 'Only sessions of this conversation.', text),
        {
          ...query('label', 'Only sessions with these labels, each name:value.', {
            type: 'array',
            items: text,
          }),
          explode: true,
        },
        query('q', 'A text in id, foreign id, title, agent or label.', text),
        query('live', 'Goes on with changes as server-sent events.', { type: 'boolean', default: false }),
      ],
      responses: {
        200: {
          description: 'A page, or with live the page and then every change.',
          headers: referHeaders(),
          content: {
            'application/json': { schema: toRef('SessionPage') },
            'text/event-stream': {
              schema: { type: 'string', description: 'The events session, ready and deleted.' },
            },
          },
        },
        ...toProblems(...anyRequest, 'not_acceptable'),
      },
    },
  },
  '/v1/sessions/{id}': {
    get: {
      operationId: 'getSession',
      tags,
      summary: 'The snapshot of a session',
      parameters: [
        ...refer('id', 'agent'),
        query('at', 'The entry after which the snapshot is taken.', { type: 'integer', minimum: -1 }),
      ],
      responses: {
        200: answer('Session, cursor and snapshot, cut at one entry.', 'Snapshot'),
        ...toProblems(...anyRequest, ...anySession, 'unknown_entry'),
      },
    },
    delete: {
      operationId: 'deleteSession',
      tags,
      summary: 'Deletes a session with all its data',
      parameters: refer('id', 'agent'),
      responses: {
        204: emptyAnswer('It is deleted.'),
        ...toProblems(...anyRequest, ...anySession, ...anyWrite),
      },
    },
  },
  '/v1/sessions/{id}/end': {
    post: {
      operationId: 'endSession',
      tags,
      summary: 'Ends a session',
      parameters: refer('id', 'agent'),
      requestBody: jsonBody('EndRequest', { required: false }),
      responses: {
        200: answer('The session has ended.', 'Taken'),
        ...toProblems(
          ...anyRequest,
          ...anySession,
          ...anyBody,
          ...anyWrite,
          'session_reserved',
          'session_ended',
        ),
      },
    },
  },
  '/v1/sessions/{id}/entries/{seq}': {
    get: {
      operationId: 'getEntry',
      tags,
      summary: 'One entry with what was received and every finding, or as the readers of a dialect get it',
      parameters: [
        ...refer('id', 'agent', 'dialect'),
        {
          name: 'seq',
          in: 'path',
          required: true,
          description: 'The number of the entry.',
          schema: { type: 'integer', minimum: 0 },
        },
      ],
      responses: {
        200: {
          description: 'The entry; with a dialect its frames, and what they no longer say.',
          headers: referHeaders(),
          content: toJsonContent({ anyOf: [toRef('Entry'), toRef('ToldEntry')] }),
        },
        ...toProblems(...anyRequest, ...anySession, 'unknown_entry', 'unknown_dialect'),
      },
    },
  },
  '/v1/sessions/{id}/outline': {
    get: {
      operationId: 'getOutline',
      tags,
      summary: 'What the entries are, without what they hold',
      parameters: [
        ...refer('id', 'agent'),
        query('after', 'The entry behind which the page begins.', {
          type: 'integer',
          minimum: -1,
          default: -1,
        }),
        query('limit', 'How many entries a page tells of at most.', {
          type: 'integer',
          minimum: 1,
          maximum: 10_000,
          default: 1000,
        }),
      ],
      responses: {
        200: answer('A page of the outline.', 'Outline'),
        ...toProblems(...anyRequest, ...anySession),
      },
    },
  },
}
