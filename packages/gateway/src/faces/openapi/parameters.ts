import { cursorPattern } from '@sluice/protocol'
import { dialects } from '@sluice/protocol/dialects'
import Type from 'typebox'

/** The parameters of a path that names a session. */
export const sessionParams = Type.Object({
  id: Type.String({
    description: 'The id of a session, or its id in the dialect of its producer, percent-encoded.',
  }),
})

/** Query parameters that several routes share. */
export const query = {
  agent: Type.Optional(Type.String({ description: 'The agent whose foreign id is meant.' })),
  dialect: Type.Optional(
    Type.String({ description: 'The dialect of the events.', enum: dialects.map(({ id }) => id) }),
  ),
  after: Type.Optional(
    Type.String({
      description: 'A cursor: reading begins behind it. -1 is the start, now the end.',
      default: '-1',
      pattern: `^(now|${cursorPattern})$`,
    }),
  ),
}

/** The query of a route that needs only the session. */
export const sessionQuery = Type.Object({ agent: query.agent })

/** The request headers of a stream that a client can resume. */
export const resumeHeaders = Type.Object({
  'Last-Event-ID': Type.Optional(
    Type.String({
      description: 'The last id of a stream of server-sent events that broke off; it wins over after.',
    }),
  ),
})

/** The request headers of a creation that a client may repeat. */
export const creationHeaders = Type.Object({
  'Idempotency-Key': Type.Optional(
    Type.String({
      description: 'A repeated request with the same key answers what the first one made.',
    }),
  ),
})

/** The security of a route that accepts a ticket. */
export const ticketSecurity = [{ bearer: [] }, { ticket: [] }, {}]
