import { createMemoryLog, type Log } from '@sluice/log'
import { type Clock, createSseDecoder, omitUndefined, type SseMessage } from '@sluice/protocol'
import { createDrivenClock, type DrivenClock } from '@sluice/protocol/testing'
import { hashApiKey, mintApiKey } from '../access/api-key.ts'
import { type Authenticator, createAuthenticator } from '../access/authenticator.ts'
import type { KeyTable } from '../access/key-file.ts'
import { mintLocalKey } from '../access/local-key.ts'
import { createSecretStore } from '../access/secrets.ts'
import { defaultConfig, type GatewayConfig } from '../config/config.ts'
import type { HostedAgent } from '../features/runs/hosted-agent.ts'
import { createGateway, type Gateway, type GatewayParts } from '../gateway.ts'
import { createLogger } from '../ops/logger.ts'
import { createMetrics } from '../ops/metrics.ts'

export interface StartOptions {
  readonly log?: Log
  readonly limits?: Partial<GatewayConfig['limits']>
  readonly config?: Partial<Omit<GatewayConfig, 'limits'>>
  /** Wraps the authenticator. */
  readonly guard?: (authenticator: Authenticator) => Authenticator
  /** The clock of the gateway; by default, the driven one. */
  readonly clock?: Clock
  readonly agents?: Readonly<Record<string, HostedAgent>>
  readonly endProcess?: GatewayParts['endProcess']
  /** The directory of a console. */
  readonly console?: string
  /** Receives the lines of its log; without it, none are written. */
  readonly onLine?: (line: string) => void
  /** Subjects that have a key besides the owner, with their grants. */
  readonly guests?: Readonly<Record<string, readonly string[]>>
}

/** A gateway on a free port of loopback, with a log in memory and a clock that the test drives. */
export interface StartedGateway {
  readonly url: string
  readonly port: number
  readonly gateway: Gateway
  readonly log: Log
  readonly clock: DrivenClock
  /** A key with all grants, and the header that carries it. */
  readonly key: string
  readonly asOwner: { readonly authorization: string }
  /** The header of a guest. */
  as(guest: string): { readonly authorization: string }
  /** A request; a path begins with `/`. */
  request(path: string, init?: RequestInit): Promise<Response>
  /** Posts lines, or a JSON body. */
  publish(session: string, lines: readonly string[], query?: string): Promise<Answer>
  post(path: string, body?: unknown, headers?: Record<string, string>): Promise<Response>
  close(): Promise<void>
}

export interface Answer {
  readonly status: number
  readonly body: Readonly<Record<string, unknown>>
}

export async function startGateway(options: StartOptions = {}): Promise<StartedGateway> {
  const driven = createDrivenClock()
  const clock = options.clock ?? driven
  const log = options.log ?? createMemoryLog()
  const key = mintLocalKey()
  const guests = Object.entries(options.guests ?? {}).map(([subject, grants]) => {
    const minted = mintApiKey()
    return {
      subject,
      key: minted.key,
      record: { id: minted.id, subject, hash: hashApiKey(minted.key), grants },
    }
  })
  const table: KeyTable = new Map(
    guests.map(({ record }) => [record.id, { ...record, grants: [...record.grants] }]),
  )
  const authenticator = createAuthenticator({
    clock,
    secrets: createSecretStore(),
    localKey: key,
    keys: { current: () => table },
  })
  const gateway = createGateway({
    config: {
      ...defaultConfig,
      port: 0,
      ...options.config,
      limits: { ...defaultConfig.limits, ...options.limits },
    },
    log,
    clock,
    logger:
      options.onLine === undefined
        ? createLogger({ level: 'silent' })
        : createLogger({ level: 'info', destination: { write: options.onLine } }),
    metrics: createMetrics(),
    authenticator: options.guard?.(authenticator) ?? authenticator,
    ...omitUndefined({
      agents: options.agents === undefined ? undefined : new Map(Object.entries(options.agents)),
      console: options.console,
      endProcess: options.endProcess,
    }),
  })
  const { url, port } = await gateway.listen()
  const asOwner = { authorization: `Bearer ${key}` }
  const request = (path: string, init: RequestInit = {}): Promise<Response> => fetch(`${url}${path}`, init)
  return {
    url,
    port,
    gateway,
    log,
    clock: driven,
    key,
    asOwner,
    as: (guest) => ({
      authorization: `Bearer ${guests.find(({ subject }) => subject === guest)?.key}`,
    }),
    request,
    async publish(session, lines, query = '') {
      const response = await request(`/v1/sessions/${session}/events${query}`, {
        method: 'POST',
        headers: { 'content-type': 'application/x-ndjson' },
        body: lines.map((line) => `${line}\n`).join(''),
      })
      return { status: response.status, body: await readJson(response) }
    },
    post: (path, body, headers = {}) =>
      request(path, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...asOwner, ...headers },
        ...omitUndefined({
          body: body === undefined ? undefined : typeof body === 'string' ? body : JSON.stringify(body),
        }),
      }),
    async close() {
      const closed = gateway.close()
      driven.advance(defaultConfig.drainMs)
      await closed
    },
  }
}

/** The JSON object in a response. */
export async function readJson(response: Response): Promise<Readonly<Record<string, unknown>>> {
  return (await response.json()) as Readonly<Record<string, unknown>> // the gateway answers with objects
}

/** A stream of server-sent events that a test reads one by one. */
export interface EventReader {
  readonly response: Response
  /** The next event with data. Rejects when the stream is reset; undefined when it ends cleanly. */
  next(): Promise<SseMessage | undefined>
  /** Everything up to a clean end. */
  rest(): Promise<readonly SseMessage[]>
  /** The bytes received so far. */
  readonly text: string
  close(): Promise<void>
}

export function readEvents(response: Response): EventReader {
  const decoder = createSseDecoder()
  const utf8 = new TextDecoder()
  const reader = response.body?.getReader()
  const waiting: SseMessage[] = []
  let text = ''
  let isDone = false
  const next = async (): Promise<SseMessage | undefined> => {
    while (waiting.length === 0 && !isDone) {
      const read = await reader?.read()
      isDone = read?.done ?? true
      if (read?.value === undefined) continue
      text += utf8.decode(read.value, { stream: true })
      for (const message of decoder.push(read.value)) if (message.ok) waiting.push(message)
    }
    return waiting.shift()
  }
  return {
    response,
    next,
    async rest() {
      const all: SseMessage[] = []
      for (let message = await next(); message !== undefined; message = await next()) all.push(message)
      return all
    },
    get text() {
      return text
    },
    close: async () => reader?.cancel(),
  }
}
