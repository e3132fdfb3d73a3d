import { toErrorRecord } from './error-record.ts'

/**
 * Every field that a log line may have. The logger drops everything else and only counts it: payloads, URLs
 * with their queries, headers, tickets and tokens have no field.
 */
const FIELDS: ReadonlySet<string> = new Set([
  'address',
  'agent',
  'bytes',
  'code',
  'count',
  'dialect',
  'durationMs',
  'entries',
  'issuer',
  'keyId',
  'method',
  'producer',
  'readers',
  'reason',
  'requestId',
  'route',
  'seq',
  'session',
  'sessions',
  'signal',
  'status',
  'subject',
  'transport',
  'version',
])
const SERIALIZED: ReadonlySet<string> = new Set(['err', 'req', 'res'])
const MAX_TEXT = 256

/** The allowed fields of a line, with texts cut to 256 characters, and the number of those left out. */
export function toLogFields(given: object): Record<string, unknown> {
  const fields: Record<string, unknown> = {}
  let left = 0
  for (const [name, value] of Object.entries(given)) {
    if (value === undefined) continue
    if (SERIALIZED.has(name)) fields[name] = value
    else if (FIELDS.has(name) && isPlain(value)) fields[name] = cut(value)
    else left++
  }
  return left === 0 ? fields : { ...fields, leftOut: left }
}

/** How objects appear that Fastify puts into its own lines. */
export const serializers = {
  err: toErrorRecord,
  req: (request: unknown) => ({ method: textAt(request, 'method'), route: routeOf(request) }),
  res: (reply: unknown) => {
    const status = valueAt(reply, 'statusCode')
    return { status: typeof status === 'number' ? status : undefined }
  },
}

/** A message without the queries of URLs: some of Fastify's messages contain whole URLs. */
export const toLogMessage = (text: string): string => cutText(text.replace(/\?\S*/g, ''))

const isPlain = (value: unknown): value is string | number | boolean =>
  ['string', 'number', 'boolean'].includes(typeof value)

const cut = (value: string | number | boolean): string | number | boolean =>
  typeof value === 'string' ? cutText(value) : value

const cutText = (text: string): string => (text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT)}…` : text)

const valueAt = (object: unknown, name: string): unknown =>
  typeof object === 'object' && object !== null ? (object as Record<string, unknown>)[name] : undefined

function textAt(object: unknown, name: string): string | undefined {
  const value = valueAt(object, name)
  return typeof value === 'string' ? cutText(value) : undefined
}

const routeOf = (request: unknown): string | undefined => textAt(valueAt(request, 'routeOptions'), 'url')
