import type { Readable } from 'node:stream'
import { SluiceError } from '@sluice/protocol'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { hideDeletion } from '../kernel/sessions/hide-deletion.ts'
import { addAaepFacade } from './aaep/facade-routes.ts'
import { aaepRejectionOf, addAaepRoutes, refuse } from './aaep/routes.ts'
import { addWellKnownRoutes } from './aaep/well-known-routes.ts'
import type { Backend } from './backend.ts'
import { addRootRoute } from './console/root-route.ts'
import { addConsoleRoutes } from './console/routes.ts'
import { readBytes } from './http/body.ts'
import { addCors, answerPreflight } from './http/cors.ts'
import { createApp } from './http/create-app.ts'
import { addGuards, hostOf } from './http/guards.ts'
import { addGzip } from './http/gzip.ts'
import { problemMediaType, retryAfterOf, toProblem, toSluiceError } from './http/problem.ts'
import { securityHeadersOf } from './http/security-headers.ts'
import { addAccessRoutes } from './native/routes/access.ts'
import { addAgentRoutes } from './native/routes/agents.ts'
import { addCreateSessionRoute } from './native/routes/create-session.ts'
import { addEntryRoute } from './native/routes/entries.ts'
import { addInputRoutes } from './native/routes/inputs.ts'
import { addListSessionsRoute } from './native/routes/list-sessions.ts'
import { addOperationRoutes } from './native/routes/operations.ts'
import { addOutlineRoute } from './native/routes/outline.ts'
import { addProducerRoutes } from './native/routes/producers.ts'
import { addPublishRoutes } from './native/routes/publish.ts'
import { addQuestionRoutes } from './native/routes/questions.ts'
import { addReadRoutes } from './native/routes/read.ts'
import { addSessionRoutes } from './native/routes/sessions.ts'
import { createOpenApi, type DescribedRoute } from './openapi/create-openapi.ts'

const ndjsonTypes = ['application/x-ndjson', 'application/ndjson', 'application/jsonl']

/** The HTTP server with all routes, not yet listening. */
export function createServer(
  backend: Backend,
  version: string,
  onRoute: (route: string) => void,
): FastifyInstance {
  const app = createApp(backend)
  app.decorateRequest('caller', undefined)
  app.decorateRequest('isCounted', false)
  const described: DescribedRoute[] = []
  app.addHook('onRoute', (route) => {
    const { method, url, schema = {} } = route
    for (const each of [method].flat()) onRoute(`${each} ${url}`)
    described.push({ method, url, schema })
    // Schemas are only documentation: the handlers check their input.
    delete route.schema
  })
  addParsers(app, backend)
  // First, so that refusals have these headers too.
  app.addHook('onRequest', (request, reply, done) => {
    reply.headers(securityHeadersOf(backend.kernel.config, hostOf(request)))
    done()
  })
  addCors(app, backend)
  addGuards(app, backend)
  app.addHook('onRequest', answerPreflight)
  addGzip(app)
  app.setErrorHandler((error, request, reply) => {
    const { caller } = request
    const known = toSluiceError(caller === undefined ? error : hideDeletion(caller, error))
    if (known.code === 'internal')
      backend.kernel.logger.error({ requestId: request.id, err: error }, 'a request failed')
    // The rest of a refused body stays unread.
    if (!request.raw.complete && request.raw.httpVersionMajor < 2) reply.header('connection', 'close')
    const rejection = aaepRejectionOf(request, known)
    if (rejection !== undefined) return refuse(reply, rejection)
    const problem = toProblem(known)
    const retryAfter = retryAfterOf(known)
    if (retryAfter !== undefined) reply.header('retry-after', retryAfter)
    if (problem.status === 401) reply.header('www-authenticate', 'Bearer')
    return reply.code(problem.status).type(problemMediaType).send(JSON.stringify(problem))
  })
  app.setNotFoundHandler((request) => {
    const path = request.url.split('?')[0] ?? ''
    const isKnown = ['GET', 'POST', 'DELETE'].some((method) => hasRoute(app, method, path))
    throw new SluiceError(isKnown ? 'method_not_allowed' : 'unknown_route')
  })
  addCreateSessionRoute(app, backend)
  addListSessionsRoute(app, backend)
  addSessionRoutes(app, backend)
  addPublishRoutes(app, backend)
  addProducerRoutes(app, backend)
  addReadRoutes(app, backend)
  addEntryRoute(app, backend)
  addOutlineRoute(app, backend)
  addInputRoutes(app, backend)
  addAgentRoutes(app, backend)
  addQuestionRoutes(app, backend)
  addAccessRoutes(app, backend)
  addAaepRoutes(app, backend)
  addWellKnownRoutes(app, backend)
  addAaepFacade(app, backend)
  addOperationRoutes(app, backend, () => createOpenApi(described, version))
  if (backend.console === undefined) addRootRoute(app, version)
  else addConsoleRoutes(app, backend.console)
  return app
}

function hasRoute(app: FastifyInstance, method: string, url: string): boolean {
  return app.findRoute({ method, url }) !== null || app.hasRoute({ method, url })
}

/** JSON arrives as bytes, so that its text can be stored unchanged; NDJSON arrives as a stream. */
function addParsers(app: FastifyInstance, backend: Backend): void {
  const { bodyBytes } = backend.kernel.config.limits
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('application/json', (_request: FastifyRequest, payload: Readable) =>
    readBytes(payload, backend.bodies, bodyBytes),
  )
  app.addContentTypeParser(ndjsonTypes, { bodyLimit: Number.MAX_SAFE_INTEGER }, (_request, payload, done) => {
    done(null, payload)
  })
}
