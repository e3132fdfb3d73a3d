import type { GatewayConfig } from '../../config/config.ts'

/**
 * The headers of every answer, including refusals and streams, unless a route overrides them: its type is not
 * guessed, it is not cached, pages of other origins cannot embed it, and nothing in it is loaded or run.
 */
const always: Readonly<Record<string, string>> = {
  'x-content-type-options': 'nosniff',
  'cache-control': 'no-store',
  'referrer-policy': 'no-referrer',
  'cross-origin-resource-policy': 'same-origin',
  'x-frame-options': 'DENY',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
}

/**
 * Browsers ignore this if the host is an address. It applies to every port of a host, but not to its
 * subdomains.
 */
const secure: Readonly<Record<string, string>> = {
  ...always,
  'strict-transport-security': 'max-age=31536000',
}

/** The headers of every answer to a request for `host`, with names in lower case. */
export function securityHeadersOf(
  { tls }: Pick<GatewayConfig, 'tls'>,
  host: string | undefined,
): Readonly<Record<string, string>> {
  // On localhost, it would block plain http for every other program on this machine.
  const isShared = /^([^:]+\.)?localhost\.?(:|$)/i.test(host ?? '')
  return tls === undefined || isShared ? always : secure
}

/** The same as header lines, for a response that is written by hand. */
export function formatSecurityHeaders(config: Pick<GatewayConfig, 'tls'>, host: string | undefined): string {
  return Object.entries(securityHeadersOf(config, host))
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join('')
}
