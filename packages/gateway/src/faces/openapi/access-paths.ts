import { answer, emptyAnswer, jsonBody } from './answers.ts'
import type { Paths } from './model.ts'
import { anyBody, anyRequest, anySession, toProblems } from './problems.ts'

const tags = ['access']

/** docs/http-api.md, WebSocket and Access. */
export const accessPaths: Paths = {
  '/v1/ws': {
    get: {
      operationId: 'openWebSocket',
      tags: ['reading', 'publishing', 'inputs'],
      summary: 'One connection for many sessions, subprotocol sluice.v1',
      responses: {
        101: emptyAnswer('The connection speaks WebSocket from here on.'),
        ...toProblems(...anyRequest, 'upgrade_required'),
      },
    },
  },
  '/v1/tickets': {
    post: {
      operationId: 'createTicket',
      tags,
      summary: 'Makes a ticket with which an EventSource can read a session or a subscription',
      requestBody: jsonBody('TicketRequest'),
      responses: {
        200: answer('The ticket.', 'Ticket'),
        ...toProblems(...anyRequest, ...anySession, ...anyBody, 'unknown_dialect', 'unknown_subscription'),
      },
    },
  },
  '/v1/login': {
    post: {
      operationId: 'login',
      tags,
      summary: 'Makes a bearer token for a page, which stands for a key or a JWT for a while',
      requestBody: jsonBody('LoginRequest', { required: false }),
      responses: {
        200: answer('The login.', 'Login'),
        ...toProblems(...anyRequest, ...anyBody, 'storage_failed'),
      },
    },
    get: {
      operationId: 'getLogin',
      tags,
      summary: 'Who the caller is, and what some grant of it allows',
      security: [{ bearer: [] }, { ticket: [] }, {}],
      responses: { 200: answer('The caller.', 'Caller'), ...toProblems(...anyRequest) },
    },
    delete: {
      operationId: 'logout',
      tags,
      summary: 'Ends the login that the request comes with',
      responses: {
        204: emptyAnswer('It has ended, or there was none.'),
        ...toProblems(...anyRequest, 'storage_failed'),
      },
    },
  },
}
