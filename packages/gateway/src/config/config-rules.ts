import { checkAgents } from './agent-rules.ts'
import type { ComplainOfRule } from './complain-of-rule.ts'
import type { GatewayConfig } from './config.ts'
import { isLoopbackHost } from './loopback-host.ts'

/** Checks rules that involve more than one setting. */
export function checkRules(
  { host, tls, limits, auth, aaep, agents }: GatewayConfig,
  complain: ComplainOfRule,
): void {
  const cert = ['tls', 'cert']
  const key = ['tls', 'key']
  if (tls !== undefined && tls.cert === undefined) complain(cert, [key], 'is missing beside /tls/key.')
  if (tls !== undefined && tls.key === undefined) complain(key, [cert], 'is missing beside /tls/cert.')
  if (limits.eventBytes > limits.bodyBytes)
    complain(
      ['limits', 'eventBytes'],
      [['limits', 'bodyBytes']],
      'must not be larger than /limits/bodyBytes.',
    )
  if (limits.ringBytes > limits.ringsBytes)
    complain(
      ['limits', 'ringBytes'],
      [['limits', 'ringsBytes']],
      'must not be larger than /limits/ringsBytes.',
    )
  if (auth.anonymous === true && !isLoopbackHost(host))
    complain(['auth', 'anonymous'], [['host']], 'must not be true unless /host is an address of loopback.')
  const issuers = ['auth', 'jwt']
  for (const [index, { jwks, key, allowPrivate }] of auth.jwt.entries()) {
    const issuer = [...issuers, String(index)]
    if ((jwks === undefined) === (key === undefined))
      complain(issuer, [issuers], 'needs either jwks or key, and not both.')
    if (jwks?.startsWith('http:') === true && allowPrivate !== true)
      complain([...issuer, 'jwks'], [issuers], 'must be an https address unless allowPrivate is true.')
  }
  checkUpstreams(aaep, complain)
  checkAgents(agents, complain)
}

function checkUpstreams({ upstreams }: GatewayConfig['aaep'], complain: ComplainOfRule): void {
  const list = ['aaep', 'upstreams']
  const known = new Set<string>()
  for (const [index, { url, token, tokenFile, allowPrivate }] of upstreams.entries()) {
    const upstream = [...list, String(index)]
    if (known.has(url)) complain([...upstream, 'url'], [list], 'is there twice.')
    known.add(url)
    if (url.startsWith('http:') && allowPrivate !== true)
      complain([...upstream, 'url'], [list], 'must be an https address unless allowPrivate is true.')
    if (token !== undefined && tokenFile !== undefined)
      complain(upstream, [list], 'takes either token or tokenFile, and not both.')
  }
}
