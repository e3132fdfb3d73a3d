import {
  type BackoffOptions,
  type Clock,
  createBackoff,
  omitUndefined,
  SluiceError,
  systemClock,
} from '@sluice/protocol'
import type { AaepTerms } from './aaep/messages.ts'
import { type AaepSubscription, type SubscribeAaepOptions, subscribeAaep } from './aaep/subscribe-aaep.ts'
import { type Access, createAccess } from './access.ts'
import { type Agents, createAgents } from './agents.ts'
import type { Receipt } from './batch.ts'
import type { ConnectionListener } from './connection-state.ts'
import type { DialectName, EventOf, FrameOf } from './frames.ts'
import { createInspection, type Inspection } from './inspection.ts'
import { type Iteration, iterate } from './iterate.ts'
import { createPage, type Globals } from './page.ts'
import type { Publisher } from './publisher.ts'
import { createPublishing, type PublisherOptions, type PublishOptions } from './publishing.ts'
import { createRequester, type Fetch, readJson, type TokenSource, toBaseUrl, toPost } from './requester.ts'
import type { Answer, FramePage, Input, OutgoingMessage, Snapshot } from './resources.ts'
import { type AgentSession, createAgentSession } from './session/agent-session.ts'
import type { CreateAgentSession } from './session/session-options.ts'
import { createSocketChanges, createSseChanges } from './session-changes.ts'
import { type Abortable, createSessions, type Sessions } from './sessions.ts'
import { createSocketReadings, type SocketReadings } from './socket-readings.ts'
import { createSocketTransport } from './socket-transport.ts'
import { createSseTransport } from './sse-transport.ts'
import { followSession, type SubscriptionItem } from './subscription.ts'
import type { Transport, TransportName } from './transport.ts'
import type { WebSocketConstructor } from './web-socket.ts'

export interface ClientOptions {
  /** The address of the gateway; in a page it may be relative. */
  readonly url: string
  /**
   * Sent as a bearer token. A function is called for every connection, and again if the gateway refuses its
   * token.
   */
  readonly token?: TokenSource
  /** Default: the platform's. */
  readonly fetch?: Fetch
  /** Default: the platform's, if it has one. Needed for `transport: 'ws'`. */
  readonly WebSocket?: WebSocketConstructor
  /**
   * The transport of `subscribe`, `sessions.watch` and `subscribeAaep`, unless a call names one. Default
   * `sse`.
   */
  readonly transport?: TransportName
  readonly clock?: Clock
  /**
   * The gateway's `heartbeatMs`. The client replaces a connection that is silent for 2.5 heartbeats. Default
   * 15 s.
   */
  readonly heartbeatMs?: number
  /** The source of jitter in waits: from 0 up to, but not including, 1. */
  readonly random?: () => number
}

interface ReadOptions extends Abortable {
  /** `-1` (default) is the start, `now` the end, anything else the cursor of a frame. */
  readonly after?: string
}

interface LiveOptions extends ReadOptions {
  readonly onConnection?: ConnectionListener
}

export interface SubscribeOptions<D extends DialectName> extends LiveOptions {
  /** The dialect of the frames. Default `sluice`. */
  readonly dialect?: D
  /** Joins pieces of text: `word`, `sentence`, `paragraph`, or a span such as `40ms`. */
  readonly coalesce?: string
  /**
   * Server-sent events over fetch, or one WebSocket for all subscriptions of this client. Default: the
   * client's.
   */
  readonly transport?: TransportName
}

export interface ReadPageOptions<D extends DialectName> extends ReadOptions {
  readonly dialect?: D
  readonly coalesce?: string
  readonly limit?: number
}

/** A gateway, for browsers and for Node. Every failure is a SluiceError: callers switch on its `code`. */
export interface Client extends Access, Inspection {
  readonly sessions: Sessions
  readonly agents: Agents
  /** The state of a session after its last entry, or after entry `at`. */
  snapshot(session: string, options?: Abortable & { readonly at?: number }): Promise<Snapshot>
  /**
   * Reads a session from a cursor to its end, each frame once, and reconnects when a connection breaks. It
   * reads from the network no faster than its consumer reads from it.
   */
  subscribe<D extends DialectName = 'sluice'>(
    session: string,
    options?: SubscribeOptions<D>,
  ): Iteration<SubscriptionItem<FrameOf<D>>>
  /** One page of the frames that exist after a cursor. */
  read<D extends DialectName = 'sluice'>(
    session: string,
    options?: ReadPageOptions<D>,
  ): Promise<FramePage<FrameOf<D>>>
  /** The inputs of a session, for its agent. */
  inputs(session: string, options?: LiveOptions): Iteration<SubscriptionItem<Input>>
  publisher<D extends DialectName = 'sluice'>(
    session: string,
    options?: PublisherOptions<D>,
  ): Publisher<EventOf<D>>
  /**
   * Publishes events and resolves when all are durable. Rejects if one is refused, with its place in
   * `details.index`; the others are stored. An abort ends the wait, but does not stop what is already on its
   * way.
   */
  publish<D extends DialectName = 'sluice'>(
    session: string,
    events: Iterable<EventOf<D>> | AsyncIterable<EventOf<D>>,
    options?: PublishOptions<D>,
  ): Promise<Receipt | undefined>
  /** Creates a session and starts it as its agent. */
  createSession(options: CreateAgentSession): Promise<AgentSession>
  /** Events for assistive clients, on negotiated terms (docs/aaep.md). Sends the request immediately. */
  subscribeAaep(terms?: AaepTerms, options?: SubscribeAaepOptions): AaepSubscription
  /** Answers a question. The first valid answer counts, and `counted` says whether it was this one. */
  answer(session: string, answer: Answer, options?: Abortable): Promise<{ readonly counted: boolean }>
  /** Asks the agent to stop. */
  cancel(
    session: string,
    options?: Abortable & { readonly reason?: string },
  ): Promise<{ readonly cursor: string }>
  message(
    session: string,
    message: OutgoingMessage,
    options?: Abortable,
  ): Promise<{ readonly cursor: string; readonly id: string }>
  /**
   * A ticket that an EventSource may append to its address as `ticket`. It only allows reading this session.
   */
  ticket(
    session: string,
    options?: Abortable & { readonly dialect?: DialectName },
  ): Promise<{ readonly ticket: string; readonly expiresAt: number }>
}

interface Followed {
  readonly session: string
  readonly resource: 'events' | 'inputs'
  readonly transport: Transport
}

/** Throws `bad_config` if the address is not a URL. Opens no connection by itself. */
export function createClient(options: ClientOptions): Client {
  // Every member of Globals is optional and checked before use.
  const globals = globalThis as Globals & { location?: { href: string }; WebSocket?: WebSocketConstructor }
  const baseUrl = toBaseUrl(options.url, globals.location?.href)
  const page = createPage(globals, new URL(baseUrl).hostname)
  const { clock = systemClock, heartbeatMs = 15_000, random = Math.random } = options
  const newBackoff = (waits: BackoffOptions = {}) => createBackoff({ ...waits, random })
  const requester = createRequester({
    baseUrl,
    token: options.token,
    // A browser's fetch must not be called as a method of another object.
    fetch: options.fetch ?? ((url, init) => fetch(url, init)),
    clock,
    page,
    createBackoff: newBackoff,
  })
  const parts = { requester, clock, page, heartbeatMs, createBackoff: newBackoff }
  const sse = createSseTransport(parts)
  let socketReadings: SocketReadings | undefined
  const publishing = createPublishing(parts)

  const isSocket = (transport = options.transport): boolean => transport === 'ws'

  function webSocket(): WebSocketConstructor {
    const WebSocket = options.WebSocket ?? globals.WebSocket
    if (WebSocket !== undefined) return WebSocket
    throw new SluiceError('bad_config', {
      message: 'This platform has no WebSocket: pass one to createClient().',
    })
  }

  function overSocket(): SocketReadings {
    socketReadings ??= createSocketReadings({ ...parts, WebSocket: webSocket() })
    return socketReadings
  }

  function follow<Frame>(
    { session, resource, transport }: Followed,
    { after = '-1', dialect, coalesce, signal, onConnection }: SubscribeOptions<DialectName>,
  ): Iteration<SubscriptionItem<Frame>> {
    const what = { session, resource, dialect, coalesce, after, transport, onConnection }
    const readHead = (inner: AbortSignal) => readCursor(session, resource, inner)
    return iterate((inner) => followSession({ ...parts, ...what, readHead, signal: inner }), signal)
  }

  /** The cursor of a session's end. An ended session has no page after its end, only a snapshot. */
  async function readCursor(session: string, resource: string, signal: AbortSignal): Promise<string> {
    const query = { after: 'now', limit: '1' }
    const response = await requester.request({ path: ['sessions', session, resource], query, signal })
    if (response.status !== 204) return (await readJson<{ cursor: string }>(response, signal)).cursor
    return (await readSnapshot(session, { signal })).cursor
  }

  async function readSnapshot(
    session: string,
    { at, signal }: Abortable & { readonly at?: number } = {},
  ): Promise<Snapshot> {
    const query = { at: at?.toString() }
    return readJson(await requester.repeat({ path: ['sessions', session], query, signal }), signal)
  }

  const sessions = createSessions({
    ...parts,
    changesOver: (transport) =>
      isSocket(transport) ? createSocketChanges(overSocket()) : createSseChanges(parts),
  })
  const inputs: Client['inputs'] = (session, given = {}) =>
    follow<Input>({ session, resource: 'inputs', transport: sse }, given)

  return {
    sessions,
    agents: createAgents(requester),
    ...createAccess(requester),
    ...createInspection(requester),
    snapshot: readSnapshot,
    subscribe<D extends DialectName>(session: string, given: SubscribeOptions<D> = {}) {
      const transport = isSocket(given.transport) ? createSocketTransport(overSocket()) : sse
      return follow<FrameOf<D>>({ session, resource: 'events', transport }, given)
    },
    async read(session, { dialect, after, coalesce, limit, signal } = {}) {
      const query = { dialect, after, coalesce, limit: limit?.toString() }
      const response = await requester.repeat({ path: ['sessions', session, 'events'], query, signal })
      if (response.status === 204) return { frames: [], cursor: after ?? '-1', end: true }
      return readJson(response, signal)
    },
    inputs,
    ...publishing,
    async createSession(given) {
      const { agent: _agent, request: _request, tools: _tools, language: _language, ...rest } = given
      const { producer, maxPendingBytes, ...creation } = rest
      const { id } = await sessions.create(creation)
      const publisher = publishing.publisher<'sluice'>(id, {
        dialect: 'sluice',
        ...omitUndefined({ producer, maxPendingBytes, signal: given.signal }),
      })
      return createAgentSession({ id, options: given, clock, publisher, follow: (to) => inputs(id, to) })
    },
    subscribeAaep: (terms = {}, given = {}) =>
      subscribeAaep(terms, given, isSocket(given.transport) ? { ...parts, WebSocket: webSocket() } : parts),
    async answer(session, answer, { signal } = {}) {
      return readJson(
        await requester.repeat(toPost(['sessions', session, 'answers'], answer, signal)),
        signal,
      )
    },
    async cancel(session, { reason, signal } = {}) {
      return readJson(
        await requester.request(toPost(['sessions', session, 'cancel'], { reason }, signal)),
        signal,
      )
    },
    async message(session, message, { signal } = {}) {
      return readJson(
        await requester.request(toPost(['sessions', session, 'messages'], message, signal)),
        signal,
      )
    },
    async ticket(session, { dialect, signal } = {}) {
      return readJson(await requester.repeat(toPost(['tickets'], { session, dialect }, signal)), signal)
    },
  }
}
