import type { FastifyReply } from 'fastify'

/** The headers that hooks have set so far, for a response that is written by hand. */
export function headersOf(reply: FastifyReply): Record<string, string | string[]> {
  const headers: Record<string, string | string[]> = {}
  for (const [name, value] of Object.entries(reply.getHeaders()))
    if (value !== undefined) headers[name] = typeof value === 'number' ? String(value) : value
  return headers
}
