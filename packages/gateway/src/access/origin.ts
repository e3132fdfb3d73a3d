import type { IncomingHttpHeaders } from 'node:http'
import { isLoopbackHost } from '../config/loopback-host.ts'

/** Under which names the gateway is reached, and which pages of other origins may use it. */
export interface OriginRules {
  /** Whether the gateway is bound to loopback only: then no other names than those of loopback and `hosts` are taken. */
  readonly isLoopback: boolean
  /** Whether the gateway itself serves https. */
  readonly isSecure: boolean
  /** Host names, with a port or for all ports. When there are some, no others are taken. */
  readonly hosts: readonly string[]
  /** Origins such as `https://app.example.org`, besides the gateway's own. */
  readonly origins: readonly string[]
}

const loopbackNames: readonly string[] = ['localhost', '127.0.0.1', '[::1]']

/**
 * Whether a request may be meant for this gateway. A page can make its own name point to 127.0.0.1 (DNS rebinding); the
 * `Host` of its requests still says that name.
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

/** Whether only programs of this machine can mean this one by that name; it may have a port. */
export function isLoopbackName(host: string): boolean {
  const name = parseHost(host)?.name ?? ''
  return isLoopbackHost(name) || name.endsWith('.localhost')
}

/**
 * Whether a browser sends a request for a page that may use the gateway: its own or one of a listed origin, or for nobody
 * but the person in front of it. A browser says so in `Origin` and, where that is missing, in Fetch Metadata: it is missing
 * where a page loads an image or a script, opens a frame or follows a link. Requests of other programs have neither.
 *
 * `isPage` is for addresses that show a page to whoever follows a link to it, and hold nothing that depends on anybody.
 */
export function isSiteAllowed(
  headers: IncomingHttpHeaders,
  host: string | undefined,
  rules: OriginRules,
  isPage: boolean,
): boolean {
  if (headers.origin !== undefined) return isOriginAllowed(headers.origin, host, rules)
  const site = headers['sec-fetch-site']
  if (site === undefined || site === 'same-origin' || site === 'none') return true
  return isPage && headers['sec-fetch-mode'] === 'navigate' && headers['sec-fetch-dest'] === 'document'
}

/** Whether a request may come from a page of this origin. Without `Origin` it comes from no page. */
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
  // A proxy may serve https for a gateway that serves http, never the other way round.
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
