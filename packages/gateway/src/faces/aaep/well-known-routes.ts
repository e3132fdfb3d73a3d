import { SluiceError } from '@sluice/protocol'
import type { FastifyInstance, FastifySchema } from 'fastify'
import Type from 'typebox'
import type { Backend } from '../backend.ts'
import { openRoute } from '../http/route-access.ts'
import { answer } from '../openapi/answers.ts'
import { toProblems } from '../openapi/problems.ts'

const shared = { tags: ['aaep'], security: [] }
const anyObject = Type.Unsafe<object>({ type: 'object' })

const getAaepManifestOperation: FastifySchema = {
  ...shared,
  operationId: 'getAaepManifest',
  summary: 'The manifest of the gateway as a producer',
  response: {
    200: answer('The manifest, or as application/jose the signed one.', {
      'application/json': anyObject,
      'application/jose': Type.String(),
    }),
    ...toProblems('not_acceptable'),
  },
}

const getJwksOperation: FastifySchema = {
  ...shared,
  operationId: 'getJwks',
  summary: 'The keys that verify the signed manifest',
  response: { 200: answer('A JWK set (RFC 7517).', { 'application/jwk-set+json': anyObject }) },
}

/** The manifest of the gateway, and the keys that verify it. */
export function addWellKnownRoutes(app: FastifyInstance, { subscriptions }: Backend): void {
  app.get(
    '/.well-known/aaep-manifest.json',
    { ...openRoute, schema: getAaepManifestOperation },
    async (request, reply) => {
      reply.header('cache-control', 'max-age=300')
      if (!(request.headers.accept ?? '').includes('application/jose'))
        return reply.type('application/json').send(subscriptions.manifest.text)
      const signed = await subscriptions.manifest.signed()
      if (signed === undefined) throw new SluiceError('not_acceptable')
      return reply.type('application/jose').send(signed)
    },
  )

  app.get('/.well-known/jwks.json', { ...openRoute, schema: getJwksOperation }, async (_request, reply) =>
    reply
      .type('application/jwk-set+json')
      .header('cache-control', 'max-age=300')
      .send(subscriptions.keys.jwks()),
  )
}
