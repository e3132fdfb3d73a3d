import { SluiceError } from '@sluice/protocol'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { fileRoute, pageRoute } from '../http/route-access.ts'
import { type ConsoleFile, readConsole } from './console-files.ts'

/** The paths that serve the page, which decides in the browser what to show. */
const pageRoutes = ['/', '/sessions/:session', '/conversations/:context'] as const
const fileRoutes = ['/favicon.svg', '/assets/:file'] as const

const contentSecurityPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "font-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
].join('; ')

const headers = {
  'content-security-policy': contentSecurityPolicy,
  'cross-origin-opener-policy': 'same-origin',
  'permissions-policy': 'camera=(), microphone=(), geolocation=()',
}

/** A file with a hash in its name never changes. Clients cache no other files. */
const kept = 'public, max-age=31536000, immutable'
const hashedName = /-[\w-]{8}\.\w+$/

/** Serves the console in `directory`. Throws `bad_config` when it cannot be read. */
export function addConsoleRoutes(app: FastifyInstance, directory: string): void {
  const { page, files } = readConsole(directory)
  for (const route of pageRoutes)
    app.get(route, pageRoute, async (request, reply) => send(request, reply, page))
  for (const route of fileRoutes)
    app.get(route, fileRoute, async (request, reply) => {
      const path = pathOf(request)
      const file = files.get(path)
      if (file === undefined) throw new SluiceError('unknown_route')
      if (hashedName.test(path)) reply.header('cache-control', kept)
      return send(request, reply, file)
    })
}

async function send(request: FastifyRequest, reply: FastifyReply, file: ConsoleFile): Promise<FastifyReply> {
  const { encoding, bytes, etag } = await file.formFor(request.headers['accept-encoding'])
  reply.headers({ ...headers, etag })
  if (isNamedBy(request.headers['if-none-match'], etag)) return reply.code(304).send()
  if (encoding !== undefined) reply.header('content-encoding', encoding)
  return reply.type(file.mediaType).send(bytes)
}

function pathOf(request: FastifyRequest): string {
  return request.url.split('?')[0] ?? ''
}

/** RFC 9110 §13.1.2: compared as weak tags, because a proxy may have weakened ours. */
function isNamedBy(ifNoneMatch: string | undefined, etag: string): boolean {
  const named = (ifNoneMatch ?? '').split(',').map((tag) => tag.trim().replace(/^W\//, ''))
  return named.includes(etag) || named.includes('*')
}
