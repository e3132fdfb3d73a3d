import type { IncomingHttpHeaders } from 'node:http'
import { isLoopbackHost } from '../config/loopback-host.ts'

/** The host names of the gateway, and the pages of other origins that may use it. */
export interface OriginRules {
  /** Whether the gateway is bound to loopback only: then only loopback names and `hosts` are accepted. */
  readonly isLoopback: boolean
  /** Whether the gateway itself serves https. */
  readonly isSecure: boolean
  /**
   * Host names, with a port or for all ports. If there are any, no others are accepted, except loopback names
   * on a gateway that is bound to loopback.
   */
  readonly hosts: readonly string[]
  /** Origins such as `https://app.example.org`, besides the gateway's own. */
  readonly origins: readonly string[]
}

const loopbackNames: readonly string[] = ['localhost', '127.0.0.1', '[::1]']

/**
 * Whether a request may be meant for this gateway. A page can make its own name resolve to 127.0.0.1 (DNS
 * rebinding); the `Host` of its requests still contains that name.
 */
export function isHostAllowed(host: string | undefined, rules: OriginRules): boolean {
  const asked = host === undefined ? undefined : parseHost(host)
  if (asked === undefined) return false
  if (rules.isLoopback && loopbackNames.includes(asked.name)) return true
  if (!rules.isLoopback && rules.hosts.length === 0) return true
  return rules.hosts.some((entry) => {
    const listed = parseHost(entry)
    return listed?.name === asked.name && (listed.port === '' || listed.port === asked.port)
  })
}

/** Whether this name, with or without a port, can only mean this machine to its own programs. */
export function isLoopbackName(host: string): boolean {
  const name = parseHost(host)?.name ?? ''
  return isLoopbackHost(name) || name.endsWith('.localhost')
}

export interface SiteRequest {
  readonly headers: IncomingHttpHeaders
  readonly host: string | undefined
  /** Whether this is a page that anyone may open through a link, and that does not depend on the caller. */
  readonly isPage: boolean
}

/**
 * Whether a request comes from a page that may use the gateway (its own, or one of a listed origin), or
 * directly from the user. Browsers reveal this in `Origin` or, when a page loads an image or a script, opens
 * a frame or follows a link, in Fetch Metadata. Requests of other programs have neither.
 */
export function isSiteAllowed({ headers, host, isPage }: SiteRequest, rules: OriginRules): boolean {
  if (headers.origin !== undefined) return isOriginAllowed(headers.origin, host, rules)
  const site = headers['sec-fetch-site']
  if (site === undefined || site === 'same-origin' || site === 'none') return true
  return isPage && headers['sec-fetch-mode'] === 'navigate' && headers['sec-fetch-dest'] === 'document'
}

/**
 * Whether a request may come from a page of this origin. A request without `Origin` does not come from a
 * page.
 */
export function isOriginAllowed(
  origin: string | undefined,
  host: string | undefined,
  rules: OriginRules,
): boolean {
  if (origin === undefined) return true
  const url = parseOrigin(origin)
  if (url === undefined) return false
  if (rules.origins.some((entry) => parseOrigin(entry)?.origin === url.origin)) return true
  const asked = host === undefined ? undefined : parseHost(host)
  // A proxy may serve https for a gateway that serves http, but not the other way round.
  if (asked === undefined || (rules.isSecure && url.protocol !== 'https:')) return false
  const port = url.protocol === 'https:' ? '443' : '80'
  return url.hostname === asked.name && (url.port || port) === (asked.port || port)
}

function parseHost(host: string): { readonly name: string; readonly port: string } | undefined {
  const [, name, port = ''] = /^([a-z0-9._-]+|\[[0-9a-f:.]+\])(?::(\d{1,5}))?$/i.exec(host) ?? []
  return name === undefined ? undefined : { name: name.toLowerCase().replace(/\.$/, ''), port }
}

function parseOrigin(origin: string): URL | undefined {
  if (!/^https?:\/\/[^/?#@\s]+$/i.test(origin) || !URL.canParse(origin)) return undefined
  return new URL(origin)
}
