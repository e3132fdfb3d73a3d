import Type from 'typebox'

const text = Type.String()

/** The headers of answers. */
const headers = {
  'Sluice-Request-Id': Type.String({ description: 'The id of the request, as in the log of the gateway.' }),
  'Sluice-Session': Type.String({ description: 'The id of the session.' }),
  'Sluice-Counted': Type.Boolean({
    description: 'Whether the reply decided its question; for callers with the right to answer.',
  }),
  'Sluice-Cursor': Type.String({ description: 'The last entry when the answer began.' }),
  'Retry-After': Type.Integer({ description: 'Seconds after which to try again.' }),
  Location: Type.String({ description: 'The address of what was created.' }),
}

type HeaderName = keyof typeof headers

/** An answer with a body: its schema by media type. Every answer carries the id of its request. */
export const answer = (
  description: string,
  bodies: Readonly<Record<string, Type.TSchema>>,
  ...headerNames: readonly HeaderName[]
) => ({
  description,
  headers: pickHeaders(headerNames),
  content: Object.fromEntries(Object.entries(bodies).map(([mediaType, schema]) => [mediaType, { schema }])),
})

/** An answer with a JSON body. */
export const jsonAnswer = (
  description: string,
  schema: Type.TSchema,
  ...headerNames: readonly HeaderName[]
) => answer(description, { 'application/json': schema }, ...headerNames)

/** An answer without a body. */
export const emptyAnswer = (description: string, ...headerNames: readonly HeaderName[]) => ({
  type: 'null',
  description,
  headers: pickHeaders(headerNames),
})

/** An answer in the media type of the Accept header: a page, one frame per line, or server-sent events. */
export const streamedAnswer = (description: string, page: Type.TSchema, line: Type.TSchema) =>
  answer(
    description,
    {
      'application/json': page,
      'application/x-ndjson': line,
      'text/event-stream': Type.String({
        description: 'Frames with id and data; sluice.gap and sluice.end besides.',
      }),
    },
    'Sluice-Session',
    'Sluice-Cursor',
  )

/** The answer to a request that opens a WebSocket. */
export const upgradeAnswer = emptyAnswer('The connection speaks WebSocket from here on.')

/** An answer with a stream of server-sent events. */
export const eventStreamAnswer = (description: string) => answer(description, { 'text/event-stream': text })

function pickHeaders(names: readonly HeaderName[]): Readonly<Record<string, Type.TSchema>> {
  return Object.fromEntries((['Sluice-Request-Id', ...names] as const).map((name) => [name, headers[name]]))
}
