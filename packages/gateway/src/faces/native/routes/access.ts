import { type CallerResource, omitUndefined, SluiceError } from '@sluice/protocol'
import type { FastifyInstance, FastifySchema } from 'fastify'
import Type from 'typebox'
import { actions, anonymous, type Caller } from '../../../access/caller.ts'
import type { Backend } from '../../backend.ts'
import { createBodyReader } from '../../http/body.ts'
import { toSessionParam } from '../../http/parameters.ts'
import { authenticate, callerOf, fullCallerOf } from '../../http/request-caller.ts'
import { emptyAnswer, jsonAnswer } from '../../openapi/answers.ts'
import { ticketSecurity } from '../../openapi/parameters.ts'
import { anyBody, anyRequest, anySession, toProblems } from '../../openapi/problems.ts'
import { nameSchema, timeSchema } from '../schemas.ts'

const tags = ['access']

const ticketRequestSchema = Type.Object(
  {
    subscription: Type.Optional(Type.String({ minLength: 1, maxLength: 128 })),
    session: Type.Optional(nameSchema),
    agent: Type.Optional(Type.String({ maxLength: 512 })),
    dialect: Type.Optional(Type.String({ maxLength: 64 })),
  },
  { $id: 'TicketRequest', additionalProperties: false },
)

const ticketSchema = Type.Object({ ticket: Type.String(), expiresAt: timeSchema }, { $id: 'Ticket' })

const createTicketOperation: FastifySchema = {
  operationId: 'createTicket',
  tags,
  summary: 'Makes a ticket with which an EventSource can read a session or a subscription',
  body: ticketRequestSchema,
  response: {
    200: jsonAnswer('The ticket.', ticketSchema),
    ...toProblems(...anyRequest, ...anySession, ...anyBody, 'unknown_dialect', 'unknown_subscription'),
  },
}

const loginRequestSchema = Type.Object(
  { token: Type.Optional(Type.String({ maxLength: 16_384 })) },
  { $id: 'LoginRequest', additionalProperties: false },
)

const loginSchema = Type.Object({ token: Type.String(), expiresAt: timeSchema }, { $id: 'Login' })

const loginOperation: FastifySchema = {
  operationId: 'login',
  tags,
  summary: 'Makes a bearer token for a page, which stands for a key or a JWT for a while',
  body: loginRequestSchema,
  isBodyOptional: true,
  response: {
    200: jsonAnswer('The login.', loginSchema),
    ...toProblems(...anyRequest, ...anyBody, 'storage_failed'),
  },
}

const callerSchema = Type.Object(
  {
    subject: Type.Optional(Type.String()),
    via: Type.Enum(['anonymous', 'key', 'jwt', 'ticket', 'login']),
    actions: Type.Array(Type.Enum(actions)),
    expiresAt: Type.Optional(timeSchema),
  },
  { $id: 'Caller' },
)

const getLoginOperation: FastifySchema = {
  operationId: 'getLogin',
  tags,
  summary: 'Who the caller is, and what some grant of it allows',
  security: ticketSecurity,
  response: { 200: jsonAnswer('The caller.', callerSchema), ...toProblems(...anyRequest) },
}

const logoutOperation: FastifySchema = {
  operationId: 'logout',
  tags,
  summary: 'Ends the login that the request comes with',
  response: {
    204: emptyAnswer('It has ended, or there was none.'),
    ...toProblems(...anyRequest, 'storage_failed'),
  },
}

const readTicketRequest = createBodyReader(ticketRequestSchema)
const readLogin = createBodyReader(loginRequestSchema)

export function addAccessRoutes(app: FastifyInstance, backend: Backend): void {
  app.post('/v1/tickets', { schema: createTicketOperation }, async (request) => {
    const caller = fullCallerOf(request)
    const asked = readTicketRequest(request.body)
    if ((asked.session === undefined) === (asked.subscription === undefined))
      throw new SluiceError('bad_request', {
        message: 'A ticket is for a session or for a subscription.',
        details: { path: '/session' },
      })
    if (asked.subscription !== undefined) {
      const found = await backend.subscriptions.find(caller, asked.subscription)
      if (found === undefined) throw new SluiceError('unknown_subscription')
      return backend.authenticator.issueTicket(caller, { subscription: found.id })
    }
    const dialect = asked.dialect === undefined ? undefined : backend.kernel.dialect(asked.dialect).id
    const { id } = toSessionParam(asked.session ?? '', asked.agent)
    const session = await backend.kernel.reach(caller, id, 'subscribe')
    return backend.authenticator.issueTicket(caller, {
      session: session.id,
      ...omitUndefined({ dialect }),
    })
  })

  app.post('/v1/login', { schema: loginOperation }, async (request) => {
    const { token } = readLogin(request.body)
    const caller =
      token === undefined
        ? await authenticate(backend, request)
        : await backend.authenticator.authenticate({ authorization: `Bearer ${token}`, isOpen: false })
    return backend.authenticator.issueLogin(caller)
  })

  app.get('/v1/login', { schema: getLoginOperation }, async (request) => describeCaller(callerOf(request)))

  app.delete('/v1/login', { schema: logoutOperation }, async (request, reply) => {
    backend.authenticator.endLogin(callerOf(request))
    return reply.code(204).send()
  })
}

function describeCaller({ subject, via, expiresAt, canSome }: Caller): CallerResource {
  return {
    ...(subject === anonymous.subject ? {} : { subject }),
    via,
    actions: actions.filter(canSome),
    ...omitUndefined({ expiresAt }),
  }
}
