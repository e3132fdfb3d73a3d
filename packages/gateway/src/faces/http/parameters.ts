import { type Cursor, parseCursor, SluiceError } from '@sluice/protocol'
import { isSessionId, toSessionId } from '@sluice/protocol/dialects'
import type { FastifyRequest } from 'fastify'
import type { Coalescing } from '../../kernel/fan-out/joiner.ts'

/** A query parameter; undefined when it is absent or empty. Throws `bad_request` when it is repeated. */
export function queryValue(request: FastifyRequest, name: string): string | undefined {
  const value = (request.query as Readonly<Record<string, unknown>>)[name] // a parsed query string is an object
  if (value === undefined || value === '') return undefined
  if (typeof value === 'string') return value
  throw new SluiceError('bad_request', { message: `${name} is given more than once.` })
}

/** All values of a parameter that may be repeated. */
export function queryValues(request: FastifyRequest, name: string): readonly string[] {
  const value = (request.query as Readonly<Record<string, unknown>>)[name]
  const list: readonly unknown[] = Array.isArray(value) ? value : [value]
  return list.filter((item) => typeof item === 'string')
}

export function queryFlag(
  request: FastifyRequest,
  name: string,
  { fallback }: { readonly fallback: boolean },
): boolean {
  const value = queryValue(request, name)
  if (value === undefined) return fallback
  if (value === 'true' || value === '1') return true
  if (value === 'false' || value === '0') return false
  throw new SluiceError('bad_request', { message: `${name} is true or false.` })
}

export function queryNumber(
  request: FastifyRequest,
  name: string,
  { fallback, max }: { readonly fallback: number; readonly max: number },
): number {
  const value = queryValue(request, name)
  if (value === undefined) return fallback
  if (/^\d{1,9}$/.test(value) && Number(value) >= 1) return Math.min(Number(value), max)
  throw new SluiceError('bad_request', { message: `${name} is a whole number from 1 on.` })
}

export interface SessionParam {
  readonly id: string
  /** The id in the address, if it is a foreign one. */
  readonly foreign: string | undefined
}

const maxForeignCharacters = 512

/** The session that the address names (docs/http-api.md, Sessions). */
export function sessionParam(request: FastifyRequest): SessionParam {
  const { id = '' } = request.params as { readonly id?: string } // the route has this parameter
  return toSessionParam(id, queryValue(request, 'agent'))
}

export function toSessionParam(id: string, agent: string | undefined): SessionParam {
  if (isSessionId(id)) return { id, foreign: undefined }
  if (id === '' || id.length > maxForeignCharacters)
    throw new SluiceError('bad_request', { message: 'The id of the session is empty or too long.' })
  return { id: toSessionId(agent ?? '', id), foreign: id }
}

/** `now`, or a cursor. */
export function parseAfter(text: string): Cursor | 'now' {
  return text === 'now' ? 'now' : parseCursor(text)
}

const spanPattern = /^(\d{1,5})ms$/
const maxSpanMs = 10_000

/** How to coalesce text. Throws `bad_request`. */
export function parseCoalescing(text: string): Coalescing {
  if (text === 'word' || text === 'sentence' || text === 'paragraph') return { unit: text }
  const spanMs = Number(spanPattern.exec(text)?.[1] ?? 0)
  if (spanMs >= 1 && spanMs <= maxSpanMs) return { spanMs }
  throw new SluiceError('bad_request', {
    message: 'coalesce is word, sentence, paragraph, or a span from 1ms to 10000ms.',
  })
}
