import { type CallerResource, SluiceError } from '@sluice/protocol'
import type { FastifyInstance } from 'fastify'
import Type from 'typebox'
import { actions, anonymous, type Caller } from '../../../access/caller.ts'
import type { Backend } from '../../backend.ts'
import { createBodyReader } from '../../http/body.ts'
import { toSessionParam } from '../../http/parameters.ts'
import { authenticate, callerOf, fullCallerOf } from '../../http/request-caller.ts'

const readTicketRequest = createBodyReader(
  Type.Object(
    {
      subscription: Type.Optional(Type.String({ minLength: 1, maxLength: 128 })),
      session: Type.Optional(Type.String({ minLength: 1, maxLength: 512 })),
      agent: Type.Optional(Type.String({ maxLength: 512 })),
      dialect: Type.Optional(Type.String({ maxLength: 64 })),
    },
    { additionalProperties: false },
  ),
)

const readLogin = createBodyReader(
  Type.Object({ token: Type.Optional(Type.String({ maxLength: 16_384 })) }, { additionalProperties: false }),
)

export function addAccessRoutes(app: FastifyInstance, backend: Backend): void {
  app.post('/v1/tickets', async (request) => {
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
      ...(dialect === undefined ? {} : { dialect }),
    })
  })

  app.post('/v1/login', async (request) => {
    const { token } = readLogin(request.body)
    const caller =
      token === undefined
        ? await authenticate(backend, request)
        : await backend.authenticator.authenticate({ authorization: `Bearer ${token}`, isOpen: false })
    return backend.authenticator.issueLogin(caller)
  })

  app.get('/v1/login', async (request) => describeCaller(callerOf(request)))

  app.delete('/v1/login', async (request, reply) => {
    backend.authenticator.endLogin(callerOf(request))
    return reply.code(204).send()
  })
}

function describeCaller({ subject, via, expiresAt, canSome }: Caller): CallerResource {
  return {
    ...(subject === anonymous.subject ? {} : { subject }),
    via,
    actions: actions.filter(canSome),
    ...(expiresAt === undefined ? {} : { expiresAt }),
  }
}
