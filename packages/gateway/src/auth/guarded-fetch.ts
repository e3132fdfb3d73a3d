import { lookup } from 'node:dns/promises'
import { type IncomingMessage, request as requestHttp } from 'node:http'
import { request as requestHttps } from 'node:https'
import { isIP } from 'node:net'
import { SluiceError } from '@sluice/protocol'
import { isPublicAddress } from './public-address.ts'

export interface GuardedFetchOptions {
  /** Takes http besides https, and addresses inside of a private network. */
  readonly allowPrivate?: boolean
  /** The longest body that is taken; 256 KiB by default. */
  readonly maxBytes?: number
  /** For all of it, from the resolution of the name to the last byte; 5 s by default. */
  readonly timeoutMs?: number
  readonly headers?: Readonly<Record<string, string>>
  /** Certificate authorities to trust instead of those that come with Node. */
  readonly ca?: string
  /** Resolves a host name; that of the system by default. */
  readonly resolve?: (hostname: string) => Promise<readonly string[]>
}

export interface GuardedResponse {
  readonly status: number
  readonly contentType: string | undefined
  readonly body: Uint8Array
}

/**
 * Gets a URL that somebody else has chosen. The name is resolved once and the connection goes to the address that was
 * checked. Throws `fetch_refused` for what may not be fetched from here, and `fetch_failed` for a redirect (none is
 * followed), for an answer that is too large or too late, and when there is none. Any other status is the caller's.
 */
export async function guardedFetch(
  target: string,
  options: GuardedFetchOptions = {},
): Promise<GuardedResponse> {
  const url = checkUrl(target, options)
  const signal = AbortSignal.timeout(options.timeoutMs ?? 5000)
  try {
    const address = await untilAborted(chooseAddress(url, options), signal)
    return await untilAborted(send(url, address, options, signal), signal)
  } catch (cause) {
    if (cause instanceof SluiceError) throw cause
    throw new SluiceError('fetch_failed', { message: `${url.origin} does not answer.`, cause })
  }
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

function send(
  url: URL,
  address: string,
  { headers = {}, ca, maxBytes = 256 * 1024 }: GuardedFetchOptions,
  signal: AbortSignal,
): Promise<GuardedResponse> {
  return new Promise((resolve, reject) => {
    const request = url.protocol === 'https:' ? requestHttps : requestHttp
    const sent = request(url, {
      headers: { 'accept-encoding': 'identity', ...headers },
      agent: false, // a kept connection could lead to an address that was not checked
      family: isIP(address),
      lookup: (_hostname, { all }, done) =>
        // Node asks for all addresses when it may try several; ours is the only one.
        all === true ? done(null, [{ address, family: isIP(address) }]) : done(null, address, isIP(address)),
      signal,
      ...(ca === undefined ? {} : { ca }),
    })
    sent.on('error', reject)
    sent.on('response', (response) => {
      receive(url, response, maxBytes)
        .then(resolve, reject)
        .finally(() => sent.destroy())
    })
    sent.end()
  })
}

async function receive(url: URL, response: IncomingMessage, maxBytes: number): Promise<GuardedResponse> {
  const status = response.statusCode ?? 0
  if (status >= 300 && status < 400)
    throw new SluiceError('fetch_failed', {
      message: `${url.origin} redirects, which is not followed.`,
    })
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
  return { status, contentType: response.headers['content-type'], body: Buffer.concat(chunks) }
}

/** A name server that does not answer must not hold the caller either. */
function untilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason)
    signal.addEventListener('abort', abort, { once: true })
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort))
  })
}
