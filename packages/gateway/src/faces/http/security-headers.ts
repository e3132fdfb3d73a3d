import type { GatewayConfig } from '../../config/config.ts'

/**
 * What every answer says, refusals and streams too, unless a route knows better: it is what it says it is, nobody keeps it,
 * no page of another origin embeds it, and nothing in it is loaded or run.
 */
const always: Readonly<Record<string, string>> = {
  'x-content-type-options': 'nosniff',
  'cache-control': 'no-store',
  'referrer-policy': 'no-referrer',
  'cross-origin-resource-policy': 'same-origin',
  'x-frame-options': 'DENY',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
}

/** Ignored by browsers where the host is an address. It holds for every port of a host, but not for its subdomains. */
const secure: Readonly<Record<string, string>> = {
  ...always,
  'strict-transport-security': 'max-age=31536000',
}

/** The headers of every answer to a request for `host`, with names in lower case. */
export function securityHeadersOf(
  { tls }: Pick<GatewayConfig, 'tls'>,
  host: string | undefined,
): Readonly<Record<string, string>> {
  // For localhost it would take plain http from every other program of this machine.
  const isShared = /^([^:]+\.)?localhost\.?(:|$)/i.test(host ?? '')
  return tls === undefined || isShared ? always : secure
}

/** The same as lines of a head that is written by hand. */
export function formatSecurityHeaders(config: Pick<GatewayConfig, 'tls'>, host: string | undefined): string {
  return Object.entries(securityHeadersOf(config, host))
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join('')
}
