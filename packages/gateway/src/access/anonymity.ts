import type { IncomingHttpHeaders } from 'node:http'
import type { GatewayConfig } from '../config/config.ts'
import { isLoopbackHost } from '../config/loopback-host.ts'
import { isLoopbackName } from './origin.ts'

/** Which requests are served without a credential: none, those that local programs send directly, or all. */
export type Anonymity = 'nobody' | 'direct' | 'everybody'

/**
 * The anonymity that a configuration allows. A proxy connects from loopback like any local program, so a host
 * name that other machines use turns anonymity off, unless `auth.anonymous` is set to true.
 */
export function anonymityOf({
  host,
  hosts,
  auth,
}: Pick<GatewayConfig, 'host' | 'hosts' | 'auth'>): Anonymity {
  if (!isLoopbackHost(host) || auth.anonymous === false) return 'nobody'
  if (auth.anonymous === true) return 'everybody'
  return hosts.every(isLoopbackName) ? 'direct' : 'nobody'
}

/** Whether the gateway serves this request without a credential. */
export function isOpenTo(anonymity: Anonymity, request: ArrivedRequest): boolean {
  return anonymity === 'everybody' || (anonymity === 'direct' && !isForwarded(request))
}

/** What a request shows about the way it came. */
export interface ArrivedRequest {
  readonly headers: IncomingHttpHeaders
  readonly httpVersion: string
}

/** The headers that proxies, load balancers and tunnels add, besides all that start with `x-forwarded-`. */
const proxyHeaders: readonly string[] = [
  'forwarded',
  'via',
  'x-real-ip',
  'x-client-ip',
  'x-cluster-client-ip',
  'x-original-forwarded-for',
  'x-original-host',
  'x-envoy-external-address',
  'true-client-ip',
  'cf-connecting-ip',
  'fastly-client-ip',
  'fly-client-ip',
]

/**
 * Whether a proxy forwarded the request. By default nginx adds no header, but up to 1.29 it forwards with
 * HTTP/1.0.
 */
export function isForwarded({ headers, httpVersion }: ArrivedRequest): boolean {
  if (httpVersion === '1.0') return true
  for (const name in headers) if (name.startsWith('x-forwarded-') || proxyHeaders.includes(name)) return true
  return false
}
