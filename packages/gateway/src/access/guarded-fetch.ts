import { lookup } from 'node:dns/promises'
import { type ClientRequest, type IncomingMessage, request as requestHttp } from 'node:http'
import { request as requestHttps } from 'node:https'
import { isIP } from 'node:net'
import { omitUndefined, SluiceError } from '@sluice/protocol'
import { isPublicAddress } from './public-address.ts'

export interface GuardedFetchOptions {
  /** Also allows http, and addresses inside a private network. */
  readonly allowPrivate?: boolean
  /** The longest body that is accepted; 256 KiB by default. */
  readonly maxBytes?: number
  /** For everything from resolving the name to the last byte; 5 s by default. */
  readonly timeoutMs?: number
  readonly headers?: Readonly<Record<string, string>>
  /** Sends this text with POST instead of using GET. */
  readonly post?: string
  /** Certificate authorities to trust instead of those that Node includes. */
  readonly ca?: string
  /** Gives up, and closes the connection, at any time. */
  readonly signal?: AbortSignal | undefined
  /** Resolves a host name; uses the resolver of the system by default. */
  readonly resolve?: (hostname: string) => Promise<readonly string[]>
}

export interface GuardedResponse {
  readonly status: number
  readonly contentType: string | undefined
  readonly body: Uint8Array
}

/** An answer whose body is read as it arrives. */
export interface GuardedStream {
  readonly status: number
  readonly contentType: string | undefined
  readonly body: AsyncIterable<Uint8Array>
  /** Closes the connection; reading the body then ends or rejects. */
  close(): void
}

/**
 * Fetches a URL that somebody else chose, or posts to it. Resolves the name once and connects to the address
 * that was checked. Throws `fetch_refused` for a URL that must not be fetched from here, and `fetch_failed`
 * for a redirect (none is followed), for an answer that is too large or too late, and for none at all.
 * Returns any other status as it is.
 */
export async function guardedFetch(
  target: string,
  options: GuardedFetchOptions = {},
): Promise<GuardedResponse> {
  const url = checkUrl(target, options)
  const late = AbortSignal.timeout(options.timeoutMs ?? 5000)
  const signal = options.signal === undefined ? late : AbortSignal.any([late, options.signal])
  try {
    const address = await untilAborted(chooseAddress(url, options), signal)
    return await untilAborted(fetchWhole({ url, address }, options, signal), signal)
  } catch (cause) {
    throw toFetchError(url, cause)
  }
}

/**
 * The same for an endless answer. `timeoutMs` bounds the time until its head arrives, `maxBytes` has no
 * effect, and `signal` closes the connection at any time.
 */
export async function guardedStream(
  target: string,
  options: GuardedFetchOptions,
  signal: AbortSignal,
): Promise<GuardedStream> {
  const url = checkUrl(target, options)
  const head = AbortSignal.timeout(options.timeoutMs ?? 5000)
  const either = AbortSignal.any([head, signal])
  try {
    const address = await untilAborted(chooseAddress(url, options), either)
    const opening = send({ url, address }, options)
    // Once the caller gave up, nobody else would close the connection.
    const close = (): Promise<void> => opening.then(({ sent }) => void sent.destroy()).catch(() => {})
    either.addEventListener('abort', close, { once: true })
    const { sent, response } = await untilAborted(opening, either)
    either.removeEventListener('abort', close)
    const leave = (): void => void sent.destroy()
    signal.addEventListener('abort', leave)
    // The signal may outlive any number of answers.
    response.once('close', () => signal.removeEventListener('abort', leave))
    response.socket.setKeepAlive(true, keepAliveMs)
    const { status, contentType } = headOf(url, response)
    return { status, contentType, body: response, close: () => sent.destroy() }
  } catch (cause) {
    throw toFetchError(url, cause)
  }
}

/** Detects a peer that disappears silently. */
const keepAliveMs = 30_000

function toFetchError(url: URL, cause: unknown): SluiceError {
  if (cause instanceof SluiceError) return cause
  return new SluiceError('fetch_failed', { message: `${url.origin} does not answer.`, cause })
}

function checkUrl(target: string, { allowPrivate = false }: GuardedFetchOptions): URL {
  const url = URL.canParse(target) ? new URL(target) : undefined
  const isHttp = url?.protocol === 'https:' || (allowPrivate && url?.protocol === 'http:')
  if (url === undefined || !isHttp || url.username !== '' || url.password !== '') {
    const form = allowPrivate ? 'an http or https URL' : 'an https URL'
    throw new SluiceError('fetch_refused', { message: `Only ${form} without a user name may be fetched.` })
  }
  return url
}

async function chooseAddress(url: URL, options: GuardedFetchOptions): Promise<string> {
  const hostname = url.hostname.replace(/^\[(.*)\]$/, '$1')
  const found = isIP(hostname) === 0 ? await (options.resolve ?? resolveName)(hostname) : [hostname]
  const address = found.find((candidate) => options.allowPrivate === true || isPublicAddress(candidate))
  if (address !== undefined) return address
  if (found.length === 0) throw new Error('the name has no address')
  throw new SluiceError('fetch_refused', { message: `${url.hostname} leads to a private address.` })
}

async function resolveName(hostname: string): Promise<readonly string[]> {
  return (await lookup(hostname, { all: true })).map(({ address }) => address)
}

/** A URL and the address that was checked for it. */
interface Peer {
  readonly url: URL
  readonly address: string
}

async function fetchWhole(
  peer: Peer,
  options: GuardedFetchOptions,
  signal: AbortSignal,
): Promise<GuardedResponse> {
  const { sent, response } = await send(peer, options, signal)
  try {
    return await receive(peer.url, response, options.maxBytes ?? 256 * 1024)
  } finally {
    sent.destroy()
  }
}

/** Sends a request; resolves with the head of the answer. */
function send(
  { url, address }: Peer,
  { headers = {}, ca, post }: GuardedFetchOptions,
  signal?: AbortSignal,
): Promise<{ readonly sent: ClientRequest; readonly response: IncomingMessage }> {
  return new Promise((resolve, reject) => {
    const request = url.protocol === 'https:' ? requestHttps : requestHttp
    const sent = request(url, {
      method: post === undefined ? 'GET' : 'POST',
      headers: { 'accept-encoding': 'identity', ...headers },
      agent: false, // a kept-alive connection could lead to an address that was not checked
      family: isIP(address),
      lookup: (_hostname, { all }, done) =>
        // Node asks for all addresses when it may try several; there is only this one.
        all === true ? done(null, [{ address, family: isIP(address) }]) : done(null, address, isIP(address)),
      ...omitUndefined({ signal, ca }),
    })
    sent.on('error', reject)
    sent.on('response', (response) => resolve({ sent, response }))
    sent.end(post)
  })
}

function headOf(url: URL, response: IncomingMessage): Omit<GuardedResponse, 'body'> {
  const status = response.statusCode ?? 0
  if (status >= 300 && status < 400) {
    response.destroy()
    throw new SluiceError('fetch_failed', { message: `${url.origin} redirects, which is not followed.` })
  }
  return { status, contentType: response.headers['content-type'] }
}

async function receive(url: URL, response: IncomingMessage, maxBytes: number): Promise<GuardedResponse> {
  const head = headOf(url, response)
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of response as AsyncIterable<Buffer>) {
    size += chunk.length
    if (size > maxBytes)
      throw new SluiceError('fetch_failed', {
        message: `${url.origin} answers more than ${maxBytes} bytes.`,
      })
    chunks.push(chunk)
  }
  return { ...head, body: Buffer.concat(chunks) }
}

/** A name server that does not answer must not block the caller either. */
function untilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason)
    signal.addEventListener('abort', abort, { once: true })
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort))
  })
}
