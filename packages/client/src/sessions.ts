import { type JsonObject, type Outcome, omitUndefined, type SessionEnd } from '@sluice/protocol'
import type { ConnectionListener } from './connection-state.ts'
import { type Iteration, iterate } from './iterate.ts'
import { createProducerName } from './producer.ts'
import { type Requester, readJson, toPost } from './requester.ts'
import type { SessionChange, SessionPage, SessionResource } from './resources.ts'
import { type ChangeTransport, type SessionCriteria, toQuery } from './session-changes.ts'
import { type Attempt, type StayConnectedOptions, stayConnected } from './stay-connected.ts'
import type { TransportName } from './transport.ts'

export interface Abortable {
  readonly signal?: AbortSignal
}

export interface CreateSession extends Abortable {
  readonly id?: string
  /** The session's id in the dialect of its producer. With `agent`, its own id is derived from both. */
  readonly foreign?: string
  readonly agent?: string
  readonly context?: string
  readonly labels?: Readonly<Record<string, string>>
  readonly attributes?: JsonObject
  /** Only the subject that creates the session may publish to it. */
  readonly exclusive?: boolean
  /** Requests with the same key create one session. By default, every call has its own key. */
  readonly idempotencyKey?: string
}

export interface SessionFilter extends SessionCriteria, Abortable {}

export interface ListSessions extends SessionFilter {
  readonly limit?: number
  /** The `next` of the previous page. */
  readonly page?: string
}

export interface WatchSessions extends SessionFilter {
  readonly onConnection?: ConnectionListener
  /** Server-sent events over fetch, or the client's shared WebSocket. Default: the client's transport. */
  readonly transport?: TransportName
}

export interface EndSession extends Abortable {
  readonly outcome?: Outcome
  readonly error?: SessionEnd['error']
}

/** Operations on sessions. */
export interface Sessions {
  create(options?: CreateSession): Promise<SessionResource>
  list(options?: ListSessions): Promise<SessionPage>
  /** All sessions, page after page, newest first. `limit` is the size of a page. */
  all(options?: Omit<ListSessions, 'page'>): Iteration<SessionResource>
  /** The newest sessions and every change from then on, over as many connections as it takes. */
  watch(options?: WatchSessions): Iteration<SessionChange>
  /** Ends a session whose dialect has no frame for it, or whose producer is gone. */
  end(session: string, options?: EndSession): Promise<{ readonly cursor: string }>
  /** Deletes a session with all its data. Its id is never used again. */
  delete(session: string, options?: Abortable): Promise<void>
}

export interface SessionsParts extends Omit<StayConnectedOptions, 'signal' | 'onConnection'> {
  readonly requester: Requester
  /** Follows the list over this transport, or over the client's own. Throws if there is no such transport. */
  changesOver(transport: TransportName | undefined): ChangeTransport
}

export function createSessions(parts: SessionsParts): Sessions {
  const { requester } = parts

  async function list({ signal, limit, page, ...filter }: ListSessions = {}): Promise<SessionPage> {
    const query = { ...toQuery(filter), limit: limit?.toString(), page }
    return readJson(await requester.repeat({ path: ['sessions'], query, signal }), signal)
  }

  async function* listAll(options: ListSessions): AsyncGenerator<readonly SessionResource[], void> {
    let next: string | undefined
    do {
      const page = await list({ ...options, ...omitUndefined({ page: next }) })
      yield page.sessions
      next = page.next
    } while (next !== undefined)
  }

  return {
    async create({ signal, idempotencyKey = createProducerName(), ...body } = {}) {
      const headers = { 'idempotency-key': idempotencyKey }
      return readJson(await requester.repeat({ ...toPost(['sessions'], body, signal), headers }), signal)
    },
    list,
    all: (options = {}) => iterate((signal) => listAll({ ...options, signal }), options.signal),
    watch({ signal, onConnection, transport, ...criteria } = {}) {
      const read = parts.changesOver(transport)
      const connect = (attempt: Attempt) => read(criteria, attempt)
      return iterate((inner) => stayConnected(connect, { ...parts, signal: inner, onConnection }), signal)
    },
    async end(session, { signal, ...body } = {}) {
      return readJson(await requester.request(toPost(['sessions', session, 'end'], body, signal)), signal)
    },
    async delete(session, { signal } = {}) {
      await requester.request({ method: 'DELETE', path: ['sessions', session], signal })
    },
  }
}
