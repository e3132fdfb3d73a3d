import type { JsonObject, Outcome, SessionEnd } from '@sluice/protocol'
import type { ConnectionListener } from './connection-state.ts'
import { type Iteration, iterate } from './iterate.ts'
import { parseObject } from './parse-object.ts'
import { createProducerName } from './producer.ts'
import { type Requester, readJson } from './requester.ts'
import type { SessionPage, SessionResource } from './resources.ts'
import { readSse, type SseParts } from './sse-stream.ts'
import { type Attempt, type StayConnectedOptions, stayConnected } from './stay-connected.ts'

export interface Abortable {
  readonly signal?: AbortSignal
}

export interface CreateSession extends Abortable {
  readonly id?: string
  /** The session's id in the contract of its producer; with `agent` its own id is derived from both. */
  readonly foreign?: string
  readonly agent?: string
  readonly context?: string
  readonly labels?: Readonly<Record<string, string>>
  readonly attributes?: JsonObject
  /** The same key makes the same session once. By default every call has its own. */
  readonly idempotencyKey?: string
}

export interface SessionFilter extends Abortable {
  readonly state?: SessionResource['state']
  readonly context?: string
  /** Labels that a session must have. */
  readonly labels?: Readonly<Record<string, string>>
  /** A text in id, foreign id, title, agent or label. */
  readonly q?: string
}

export interface ListSessions extends SessionFilter {
  readonly limit?: number
  /** The `next` of the page before. */
  readonly page?: string
}

export interface WatchSessions extends SessionFilter {
  readonly onConnection?: ConnectionListener
}

export interface EndSession extends Abortable {
  readonly outcome?: Outcome
  readonly error?: SessionEnd['error']
}

/** What happens to a list of sessions. */
export type SessionNews =
  /** A connection was made: up to `ready` follows the newest page, and what is not in it may be gone. */
  | { readonly type: 'begin' }
  | { readonly type: 'session'; readonly session: SessionResource }
  | { readonly type: 'ready' }
  | { readonly type: 'deleted'; readonly id: string }

/** Sessions as such. */
export interface Sessions {
  create(options?: CreateSession): Promise<SessionResource>
  list(options?: ListSessions): Promise<SessionPage>
  /** All of them, page after page, newest first. `limit` is the size of a page. */
  all(options?: Omit<ListSessions, 'page'>): Iteration<SessionResource>
  /** The newest sessions and every change from then on, over as many connections as it takes. */
  watch(options?: WatchSessions): Iteration<SessionNews>
  /** Ends a session whose contract has no frame for it, or whose producer is gone. */
  end(session: string, options?: EndSession): Promise<{ readonly cursor: string }>
  /** Deletes a session with all its data. Its id is never used again. */
  delete(session: string, options?: Abortable): Promise<void>
}

export type SessionsParts = SseParts & Pick<StayConnectedOptions, 'createBackoff'>

export function createSessions(parts: SessionsParts): Sessions {
  const { requester } = parts

  async function list({ signal, limit, page, ...filter }: ListSessions = {}): Promise<SessionPage> {
    const query = { ...toQuery(filter), limit: limit?.toString(), page }
    return readJson(await requester.repeat({ path: ['sessions'], query, signal }), signal)
  }

  async function* listAll(options: ListSessions): AsyncGenerator<readonly SessionResource[], void> {
    let next: string | undefined
    do {
      const page = await list({ ...options, ...(next === undefined ? {} : { page: next }) })
      yield page.sessions
      next = page.next
    } while (next !== undefined)
  }

  return {
    async create({ signal, idempotencyKey = createProducerName(), ...body } = {}) {
      const headers = { 'idempotency-key': idempotencyKey }
      return post(requester.repeat, ['sessions'], body, signal, headers)
    },
    list,
    all: (options = {}) => iterate((signal) => listAll({ ...options, signal }), options.signal),
    watch({ signal, onConnection, ...filter } = {}) {
      const connect = (attempt: Attempt) => readNews(filter, attempt, parts)
      return iterate((inner) => stayConnected(connect, { ...parts, signal: inner, onConnection }), signal)
    },
    end: (session, { signal, ...body } = {}) =>
      post(requester.request, ['sessions', session, 'end'], body, signal),
    async delete(session, { signal } = {}) {
      await requester.request({ method: 'DELETE', path: ['sessions', session], signal })
    },
  }
}

async function post<T>(
  send: Requester['request'],
  path: readonly string[],
  body: object,
  signal: AbortSignal | undefined,
  headers: Readonly<Record<string, string>> = {},
): Promise<T> {
  return readJson(await send({ method: 'POST', path, body: JSON.stringify(body), signal, headers }), signal)
}

function toQuery({ state, context, labels, q }: SessionFilter) {
  const label = Object.entries(labels ?? {}).map(([name, value]) => `${name}:${value}`)
  return { state, context, q, label }
}

async function* readNews(
  filter: SessionFilter,
  attempt: Attempt,
  parts: SseParts,
): AsyncGenerator<readonly SessionNews[], void> {
  const call = { path: ['sessions'], query: { ...toQuery(filter), live: 'true' } }
  let isBegun = false
  for await (const { messages } of readSse(call, attempt, parts)) {
    const news = messages.flatMap(({ event, data }): SessionNews[] => {
      if (event === 'ready') {
        attempt.caughtUp()
        return [{ type: 'ready' }]
      }
      if (event === 'deleted') return [{ type: 'deleted', id: String(parseObject(data)['id']) }]
      if (event !== 'session') return []
      const session: unknown = parseObject(data)
      return [{ type: 'session', session: session as SessionResource }] // the gateway's contract
    })
    yield isBegun ? news : [{ type: 'begin' }, ...news]
    isBegun = true
  }
}
