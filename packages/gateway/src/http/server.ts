import type { Readable } from 'node:stream'
import { SluiceError } from '@sluice/protocol'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Gate } from '../gate.ts'
import { readBytes } from './body.ts'
import { addCors, answerPreflight } from './cors.ts'
import { createApp } from './create-app.ts'
import { addGuards, hostOf } from './guards.ts'
import { addGzip } from './gzip.ts'
import { problemMediaType, retryAfterOf, toProblem, toSluiceError } from './problem.ts'
import { aaepRejectionOf, addAaepRoutes, refuse } from './routes/aaep.ts'
import { addAaepFacade } from './routes/aaep-facade.ts'
import { addAccessRoutes } from './routes/access.ts'
import { addAgentRoutes } from './routes/agents.ts'
import { addConsoleRoutes } from './routes/console.ts'
import { addEntryRoute } from './routes/entries.ts'
import { addInputRoutes } from './routes/inputs.ts'
import { addOperationRoutes } from './routes/operations.ts'
import { addOutlineRoute } from './routes/outline.ts'
import { addPublishRoutes } from './routes/publish.ts'
import { addQuestionRoutes } from './routes/questions.ts'
import { addReadRoutes } from './routes/read.ts'
import { addRootRoute } from './routes/root.ts'
import { addSessionRoutes } from './routes/sessions.ts'
import { securityHeadersOf } from './security-headers.ts'

const ndjsonTypes = ['application/x-ndjson', 'application/ndjson', 'application/jsonl']

/** The HTTP server with all routes, not yet listening. */
export function createServer(gate: Gate, version: string, onRoute: (route: string) => void): FastifyInstance {
  const app = createApp(gate)
  app.decorateRequest('caller', undefined)
  app.decorateRequest('isCounted', false)
  app.addHook('onRoute', ({ method, url }) => {
    for (const each of [method].flat()) onRoute(`${each} ${url}`)
  })
  addParsers(app, gate)
  // First, so that refusals have them too.
  app.addHook('onRequest', (request, reply, done) => {
    reply.headers(securityHeadersOf(gate.config, hostOf(request)))
    done()
  })
  addCors(app, gate)
  addGuards(app, gate)
  app.addHook('onRequest', answerPreflight)
  addGzip(app)
  app.setErrorHandler((error, request, reply) => {
    const known = toSluiceError(error)
    if (known.code === 'internal')
      gate.logger.error({ requestId: request.id, err: error }, 'a request failed')
    // What is left of a body that was not taken is not read.
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
  addSessionRoutes(app, gate)
  addPublishRoutes(app, gate)
  addReadRoutes(app, gate)
  addEntryRoute(app, gate)
  addOutlineRoute(app, gate)
  addInputRoutes(app, gate)
  addAgentRoutes(app, gate)
  addQuestionRoutes(app, gate)
  addAccessRoutes(app, gate)
  addAaepRoutes(app, gate)
  addAaepFacade(app, gate)
  addOperationRoutes(app, gate, version)
  if (gate.console === undefined) addRootRoute(app, version)
  else addConsoleRoutes(app, gate.console)
  return app
}

function hasRoute(app: FastifyInstance, method: string, url: string): boolean {
  return app.findRoute({ method, url }) !== null || app.hasRoute({ method, url })
}

/** JSON is read as bytes, so that its text can be kept as it came; NDJSON is handed over as a stream. */
function addParsers(app: FastifyInstance, gate: Gate): void {
  const { limits } = gate.config
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('application/json', (_request: FastifyRequest, payload: Readable) =>
    readBytes(payload, gate.clock, { maxBytes: limits.bodyBytes, idleMs: limits.bodyIdleMs }),
  )
  app.addContentTypeParser(ndjsonTypes, { bodyLimit: Number.MAX_SAFE_INTEGER }, (_request, payload, done) => {
    done(null, payload)
  })
}
