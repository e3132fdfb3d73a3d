import type { IncomingHttpHeaders } from 'node:http'
import type { GatewayConfig } from '../config/config.ts'
import { isLoopbackHost } from '../config/loopback-host.ts'
import { isLoopbackName } from './origin.ts'

/** Who is served without a credential: nobody, programs of this machine that connect directly, or everybody. */
export type Anonymity = 'nobody' | 'direct' | 'everybody'

/**
 * What a configuration says of it. A proxy connects from loopback like every program of this machine, so a name that
 * other machines use ends anonymity, unless `auth.anonymous` says outright that it is wanted.
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

/** Whether a gateway serves this request if it brings no credential. */
export function isOpenTo(anonymity: Anonymity, request: ArrivedRequest): boolean {
  return anonymity === 'everybody' || (anonymity === 'direct' && !isForwarded(request))
}

/** What a request tells about the way it came. */
export interface ArrivedRequest {
  readonly headers: IncomingHttpHeaders
  readonly httpVersion: string
}

/** What proxies, load balancers and tunnels add, besides everything that begins with `x-forwarded-`. */
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

/** Whether somebody passed a request on. nginx adds no header unless it is told to, but up to 1.29 asks with HTTP/1.0. */
export function isForwarded({ headers, httpVersion }: ArrivedRequest): boolean {
  if (httpVersion === '1.0') return true
  for (const name in headers) if (name.startsWith('x-forwarded-') || proxyHeaders.includes(name)) return true
  return false
}
