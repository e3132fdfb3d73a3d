interface ErrorRow {
  /** The HTTP status. */
  readonly status: number
  /** The close code of a WebSocket. */
  readonly close: number
  readonly exit: number
  readonly retryable: boolean
  readonly message: string
}

/** Every error, with its HTTP status, its WebSocket close code and its exit code. */
export const errorTable = {
  usage: {
    status: 400,
    close: 4400,
    exit: 2,
    retryable: false,
    message: 'Sluice did not understand the command.',
  },
  unknown_dialect: {
    status: 400,
    close: 4400,
    exit: 2,
    retryable: false,
    message: 'No dialect has this name.',
  },
  undetected_dialect: {
    status: 400,
    close: 4400,
    exit: 2,
    retryable: false,
    message: 'Sluice did not recognise the dialect of the input.',
  },
  bad_cursor: {
    status: 400,
    close: 4400,
    exit: 2,
    retryable: false,
    message: 'The cursor is not of a form that a gateway gives out.',
  },
  unreadable_input: {
    status: 400,
    close: 4400,
    exit: 2,
    retryable: false,
    message: 'The input cannot be read.',
  },
  unauthenticated: {
    status: 401,
    close: 4401,
    exit: 3,
    retryable: false,
    message: 'The credential is missing or invalid.',
  },
  token_expired: {
    status: 401,
    close: 4401,
    exit: 3,
    retryable: false,
    message: 'The credential has expired.',
  },
  forbidden: {
    status: 403,
    close: 4403,
    exit: 3,
    retryable: false,
    message: 'The credential does not allow this.',
  },
  origin_refused: {
    status: 403,
    close: 4403,
    exit: 3,
    retryable: false,
    message: 'The gateway does not accept requests from this origin or to this host name.',
  },
  bad_request: { status: 400, close: 4400, exit: 2, retryable: false, message: 'The request is malformed.' },
  bad_config: { status: 400, close: 4400, exit: 2, retryable: false, message: 'The configuration is wrong.' },
  unknown_route: {
    status: 404,
    close: 4404,
    exit: 2,
    retryable: false,
    message: 'There is nothing at this address.',
  },
  unknown_subscription: {
    status: 404,
    close: 4404,
    exit: 4,
    retryable: false,
    message: 'There is no such subscription, or it is not yours.',
  },
  no_agent: {
    status: 503,
    close: 4503,
    exit: 1,
    retryable: false,
    message: 'This gateway runs no agent.',
  },
  unknown_agent: {
    status: 404,
    close: 4404,
    exit: 4,
    retryable: false,
    message: 'There is no such agent, or the credential does not reach it.',
  },
  unsupported_capability: {
    status: 400,
    close: 4400,
    exit: 2,
    retryable: false,
    message: 'This agent does not support the requested capability.',
  },
  invalid_run: {
    status: 400,
    close: 4400,
    exit: 2,
    retryable: false,
    message: 'The request for the run is invalid.',
  },
  run_not_permitted: {
    status: 403,
    close: 4403,
    exit: 3,
    retryable: false,
    message: 'The run asks for more than the configuration of the agent permits.',
  },
  agent_busy: {
    status: 429,
    close: 4429,
    exit: 5,
    retryable: true,
    message: 'The agent has reached its maximum number of runs, and its queue is full.',
  },
  run_failed: {
    status: 502,
    close: 4502,
    exit: 1,
    retryable: false,
    message: 'The run failed.',
  },
  run_cancelled: {
    status: 409,
    close: 4409,
    exit: 130,
    retryable: false,
    message: 'The run was cancelled.',
  },
  unknown_session: {
    status: 404,
    close: 4404,
    exit: 4,
    retryable: false,
    message: 'There is no such session, or the credential does not reach it.',
  },
  unknown_entry: {
    status: 404,
    close: 4404,
    exit: 4,
    retryable: false,
    message: 'The session has no such entry.',
  },
  unknown_producer: {
    status: 404,
    close: 4404,
    exit: 4,
    retryable: false,
    message: 'The session has no numbered events from a producer with this name.',
  },
  unknown_schema: {
    status: 404,
    close: 4404,
    exit: 4,
    retryable: false,
    message: 'There is no schema with this name.',
  },
  method_not_allowed: {
    status: 405,
    close: 4405,
    exit: 2,
    retryable: false,
    message: 'This address does not support this method.',
  },
  not_acceptable: {
    status: 406,
    close: 4406,
    exit: 2,
    retryable: false,
    message: 'This address offers none of the accepted media types.',
  },
  request_timeout: {
    status: 408,
    close: 4408,
    exit: 5,
    retryable: true,
    message: 'The request did not arrive in time.',
  },
  session_exists: {
    status: 409,
    close: 4409,
    exit: 4,
    retryable: false,
    message: 'A session with this id already exists.',
  },
  session_mismatch: {
    status: 409,
    close: 4409,
    exit: 4,
    retryable: false,
    message: 'The event and the address name different sessions.',
  },
  session_reserved: {
    status: 403,
    close: 4403,
    exit: 3,
    retryable: false,
    message: 'This session has one writer: a run, an upstream, or the subject that created it.',
  },
  session_ended: {
    status: 409,
    close: 4409,
    exit: 4,
    retryable: false,
    message: 'The session has ended; nothing may follow its end.',
  },
  producer_gap: {
    status: 409,
    close: 4409,
    exit: 4,
    retryable: false,
    message: 'The number of the event is not the next one of its producer.',
  },
  producer_fenced: {
    status: 409,
    close: 4409,
    exit: 4,
    retryable: false,
    message: 'A newer incarnation of this producer has taken over.',
  },
  too_many_producers: {
    status: 409,
    close: 4409,
    exit: 4,
    retryable: false,
    message: 'The session has reached its maximum number of numbering producers.',
  },
  log_conflict: {
    status: 409,
    close: 4409,
    exit: 4,
    retryable: true,
    message: 'Another writer wrote to the session in the meantime.',
  },
  fenced: {
    status: 409,
    close: 4409,
    exit: 4,
    retryable: true,
    message: 'Another writer has taken over the session.',
  },
  session_deleted: {
    status: 410,
    close: 4410,
    exit: 4,
    retryable: false,
    message: 'The session was deleted; its id is never reused.',
  },
  gap: {
    status: 410,
    close: 4410,
    exit: 4,
    retryable: false,
    message: 'The cursor points to no entry; start over from the oldest entry.',
  },
  body_too_large: {
    status: 413,
    close: 1009,
    exit: 4,
    retryable: false,
    message: 'The body is larger than the limit.',
  },
  event_too_large: {
    status: 413,
    close: 1009,
    exit: 4,
    retryable: false,
    message: 'The event is larger than the limit.',
  },
  body_incomplete: {
    status: 400,
    close: 4400,
    exit: 5,
    retryable: true,
    message: 'The body ended before it was complete.',
  },
  unsupported_media_type: {
    status: 415,
    close: 4415,
    exit: 2,
    retryable: false,
    message: 'The content type is neither JSON nor NDJSON.',
  },
  upgrade_required: {
    status: 426,
    close: 4426,
    exit: 2,
    retryable: false,
    message: 'This address speaks WebSocket.',
  },
  events_refused: {
    status: 422,
    close: 4422,
    exit: 4,
    retryable: false,
    message: 'The gateway refused some events and stored nothing.',
  },
  rate_limited: {
    status: 429,
    close: 4429,
    exit: 5,
    retryable: true,
    message: 'Too many requests in too short a time.',
  },
  too_many_connections: {
    status: 429,
    close: 1013,
    exit: 5,
    retryable: true,
    message: 'Too many connections are open.',
  },
  headers_too_large: {
    status: 431,
    close: 4431,
    exit: 2,
    retryable: false,
    message: 'The head of the request is larger than the limit.',
  },
  internal: {
    status: 500,
    close: 1011,
    exit: 1,
    retryable: true,
    message: 'Something went wrong inside Sluice.',
  },
  memory_full: {
    status: 503,
    close: 1013,
    exit: 5,
    retryable: true,
    message: 'The open sessions need all the memory that they may. Nothing of this request was stored.',
  },
  overloaded: {
    status: 503,
    close: 1013,
    exit: 5,
    retryable: true,
    message: 'Too many events wait for the store; try again soon.',
  },
  closed: { status: 503, close: 1012, exit: 5, retryable: true, message: 'The gateway is shutting down.' },
  quota_exceeded: {
    status: 507,
    close: 4507,
    exit: 5,
    retryable: false,
    message: 'The sessions of this subject take as much of the disk as they may.',
  },
  storage_full: {
    status: 507,
    close: 4507,
    exit: 5,
    retryable: true,
    message: 'The disk is full; nothing is stored until there is free space.',
  },
  storage_failed: {
    status: 503,
    close: 4503,
    exit: 5,
    retryable: true,
    message: 'The gateway cannot write to the store; reading continues.',
  },
  data_in_use: {
    status: 409,
    close: 4409,
    exit: 5,
    retryable: false,
    message: 'Another process uses this data directory.',
  },
  newer_data: {
    status: 409,
    close: 4409,
    exit: 2,
    retryable: false,
    message: 'The data directory was written by a newer version of Sluice.',
  },
  damaged_data: {
    status: 500,
    close: 4500,
    exit: 5,
    retryable: false,
    message: 'The data directory is damaged.',
  },
  gateway_unreachable: {
    status: 502,
    close: 4502,
    exit: 5,
    retryable: true,
    message: 'No gateway answers at this address.',
  },
  fetch_refused: {
    status: 403,
    close: 4403,
    exit: 3,
    retryable: false,
    message: 'The gateway may not fetch this address.',
  },
  fetch_failed: {
    status: 502,
    close: 4502,
    exit: 5,
    retryable: true,
    message: 'An outgoing request failed.',
  },
  issuer_unreachable: {
    status: 503,
    close: 1013,
    exit: 5,
    retryable: true,
    message: "The gateway cannot fetch the keys of the token's issuer; try again soon.",
  },
  untrusted_folder: {
    status: 403,
    close: 4403,
    exit: 6,
    retryable: false,
    message: 'The working directory contains a configuration or data that you have not trusted.',
  },
  address_in_use: {
    status: 500,
    close: 4500,
    exit: 5,
    retryable: false,
    message: 'Another program already listens on this address.',
  },
} as const satisfies Record<string, ErrorRow>

export type ErrorCode = keyof typeof errorTable

/** Further data for the caller, as plain JSON; never text from the input. */
export type ErrorDetails = Readonly<Record<string, unknown>>

/** The one error class. Callers switch on `code`, never on the message. */
export class SluiceError extends Error {
  readonly code: ErrorCode
  readonly details: ErrorDetails | undefined

  constructor(code: ErrorCode, options: { message?: string; cause?: unknown; details?: ErrorDetails } = {}) {
    super(
      options.message ?? errorTable[code].message,
      options.cause === undefined ? undefined : { cause: options.cause },
    )
    this.name = 'SluiceError'
    this.code = code
    this.details = options.details
  }
}
