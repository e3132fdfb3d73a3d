// Embeds a gateway whose issuer and upstream are at the port that its first argument names. Closes the gateway
// at the end of standard input, and leaves the rest to Node: whatever is still open keeps the process alive.

import { connect } from 'node:net'
import { startGateway } from '@sluice/gateway'

const silent = `http://127.0.0.1:${process.argv[2]}`
const issuer = { issuer: 'silent', audience: 'x', algorithm: 'ES256', jwks: silent, allowPrivate: true }
const gateway = await startGateway({
  port: 0,
  logLevel: 'silent',
  auth: { jwt: [issuer] },
  aaep: {
    agent: 'sluice',
    name: 'Sluice',
    subscriptions: 1,
    subscriptionsPerSubject: 1,
    subscriptionIdleMs: 1000,
    upstreams: [{ url: silent, allowPrivate: true }],
  },
})
const encode = (value) => Buffer.from(JSON.stringify(value)).toString('base64url')
const token = [
  encode({ alg: 'ES256', kid: 'k' }),
  encode({ iss: 'silent', sub: 's', aud: 'x', exp: 9e9 }),
  'AA',
]
const asked = fetch(`${gateway.url}/v1/sessions`, { headers: { authorization: `Bearer ${token.join('.')}` } })
asked.catch(() => {})
for (const part of ['', 'GET / HTTP/1.1', 'GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n']) {
  const peer = connect(new URL(gateway.url).port, '127.0.0.1', () => peer.write(part))
  peer.on('error', () => {}).unref()
}
for await (const _ of process.stdin);
await gateway.close()
