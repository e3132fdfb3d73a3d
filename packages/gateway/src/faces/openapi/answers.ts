import type { Body, Response, Schema } from './model.ts'
import { type headers, referHeaders } from './parameters.ts'
import { toRef } from './schemas.ts'

type HeaderName = keyof typeof headers

/** A JSON body. */
export const toJsonContent = (schema: Schema): Readonly<Record<string, Body>> => ({
  'application/json': { schema },
})

/** An answer of JSON. */
export const answer = (
  description: string,
  name: Parameters<typeof toRef>[0],
  ...headerNames: readonly HeaderName[]
): Response => ({
  description,
  headers: referHeaders(...headerNames),
  content: toJsonContent(toRef(name)),
})

/** An answer without a body. */
export const emptyAnswer = (description: string, ...headerNames: readonly HeaderName[]): Response => ({
  description,
  headers: referHeaders(...headerNames),
})

/** An answer that the client chooses by Accept: a page, a line for each frame, or server-sent events. */
export const streamedAnswer = (
  description: string,
  page: 'FramePage' | 'InputPage',
  line: 'Frame' | 'Input',
): Response => ({
  description,
  headers: referHeaders('Sluice-Session', 'Sluice-Cursor'),
  content: {
    ...toJsonContent(toRef(page)),
    'application/x-ndjson': { schema: toRef(line) },
    'text/event-stream': {
      schema: { type: 'string', description: 'Frames with id and data; sluice.gap and sluice.end besides.' },
    },
  },
})

/** A JSON body of a request. */
export const jsonBody = (
  name: Parameters<typeof toRef>[0],
  { required = true }: { readonly required?: boolean } = {},
) => ({ required, content: toJsonContent(toRef(name)) })
