import { type Backoff, type Clock, omitUndefined, SluiceError } from '@sluice/protocol'
import { insist } from './insist.ts'
import type { Page } from './page.ts'
import { readProblem, toUnreachable } from './problem.ts'

/** The part of `fetch` that is used. */
export type Fetch = (url: string, init: RequestInit) => Promise<Response>

/** A credential, or a function that returns one for each connection. */
export type TokenSource = string | (() => string | Promise<string>)

export interface Call {
  readonly method?: 'GET' | 'POST' | 'DELETE'
  /** Where the path begins. Default `/v1`. */
  readonly root?: '/v1' | '/aaep/v1'
  /** Segments of the path after the root, not yet percent-encoded. */
  readonly path: readonly string[]
  readonly query?: Readonly<Record<string, string | readonly string[] | undefined>>
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
  readonly signal?: AbortSignal | undefined
}

export type Exchange =
  | { readonly ok: true; readonly response: Response }
  | { readonly ok: false; readonly error: SluiceError }

export interface RequesterOptions {
  /** Absolute, without a slash at the end. */
  readonly baseUrl: string
  readonly token: TokenSource | undefined
  readonly fetch: Fetch
  readonly clock: Clock
  readonly page: Page
  readonly createBackoff: () => Backoff
}

/**
 * Requests to one gateway. Failures are SluiceErrors; an aborted request rejects with the signal's reason.
 */
export interface Requester {
  /** One request and its outcome. Rejects with `gateway_unreachable` if there is no answer. */
  exchange(call: Call): Promise<Exchange>
  /** One request; rejects with the problem's error. */
  request(call: Call): Promise<Response>
  /**
   * The same, repeated a few times while the failure may pass. For requests that do no harm when repeated.
   */
  repeat(call: Call): Promise<Response>
  currentToken(): Promise<string | undefined>
  urlOf(path: readonly string[], query?: Call['query'], root?: Call['root']): string
}

export function toPost(path: readonly string[], body: object, signal: AbortSignal | undefined): Call {
  return { method: 'POST', path, body: JSON.stringify(body), signal }
}

/** A person waits for the answer to `repeat`, so it gives up within seconds. */
const patience = { maxTries: 4, maxAskedMs: 5_000 } as const

export function createRequester(options: RequesterOptions): Requester {
  const { baseUrl, token, clock } = options

  async function currentToken(): Promise<string | undefined> {
    if (typeof token !== 'function') return token
    try {
      return await token()
    } catch (error) {
      throw toUnreachable(error)
    }
  }

  function urlOf(path: readonly string[], query: Call['query'] = {}, root: Call['root'] = '/v1'): string {
    const pairs = Object.entries(query).flatMap(([name, value]) =>
      (typeof value === 'string' ? [value] : (value ?? [])).map((each): [string, string] => [name, each]),
    )
    const search = new URLSearchParams(pairs).toString()
    const place = [root, ...path.map(encodeURIComponent)].join('/')
    return `${baseUrl}${place}${search === '' ? '' : `?${search}`}`
  }

  async function ask(call: Call, credential: string | undefined): Promise<Exchange> {
    const headers: Record<string, string> = { accept: 'application/json', ...call.headers }
    if (credential !== undefined) headers['authorization'] = `Bearer ${credential}`
    if (call.body !== undefined) headers['content-type'] ??= 'application/json'
    let response: Response
    try {
      response = await options.fetch(urlOf(call.path, call.query, call.root), {
        method: call.method ?? 'GET',
        headers,
        ...omitUndefined({ body: call.body, signal: call.signal }),
      })
    } catch (error) {
      call.signal?.throwIfAborted()
      throw toUnreachable(error)
    }
    if (response.ok) return { ok: true, response }
    const error = await readProblem(response, clock.now())
    call.signal?.throwIfAborted()
    return { ok: false, error }
  }

  async function exchange(call: Call): Promise<Exchange> {
    call.signal?.throwIfAborted()
    const credential = await currentToken()
    const first = await ask(call, credential)
    if (first.ok || typeof token !== 'function' || first.error.details?.['status'] !== 401) return first
    // The credential may have expired on its way; sending the same one again would not help.
    const next = await currentToken()
    return next === credential ? first : ask(call, next)
  }

  async function request(call: Call): Promise<Response> {
    const answer = await exchange(call)
    if (!answer.ok) throw answer.error
    return answer.response
  }

  function repeat(call: Call): Promise<Response> {
    const signal = call.signal ?? new AbortController().signal
    return insist(() => request(call), { ...options, ...patience, signal })
  }

  return { exchange, request, repeat, currentToken, urlOf }
}

/** The body of an answer as JSON. If it is cut off or not JSON, there is no answer. */
export async function readJson<T>(response: Response, signal: AbortSignal | undefined): Promise<T> {
  try {
    return (await response.json()) as T // as docs/http-api.md specifies
  } catch (error) {
    signal?.throwIfAborted()
    throw toUnreachable(error)
  }
}

/** The base of all addresses; a relative one is resolved against the page. */
export function toBaseUrl(url: string, pageUrl: string | undefined): string {
  let base: URL
  try {
    base = new URL(url, pageUrl)
  } catch (cause) {
    throw new SluiceError('bad_config', { message: 'The address of the gateway is not a URL.', cause })
  }
  return `${base.origin}${base.pathname.replace(/(?<!\/)\/+$/, '')}`
}
