import Type from 'typebox'
import { agents } from './agent-schema.ts'
import { bytes, count, duration, section, text } from './schema-fields.ts'

const jwtAlgorithms = [
  'RS256',
  'RS384',
  'RS512',
  'PS256',
  'PS384',
  'PS512',
  'ES256',
  'ES384',
  'ES512',
  'EdDSA',
  'Ed25519',
  'HS256',
  'HS384',
  'HS512',
] as const

const jwtIssuer = section('An issuer whose JWTs are taken.', {
  issuer: text('What `iss` must be.'),
  audience: text('What `aud` must contain.'),
  algorithm: Type.Enum([...jwtAlgorithms], { description: 'The one algorithm that signatures may use.' }),
  jwks: Type.Optional(
    Type.String({ pattern: '^https?://', description: 'Where the issuer publishes its keys.' }),
  ),
  key: Type.Optional(text('File with the one key of the issuer, as JWK or PEM.')),
  subjectPrefix: Type.Optional(text('Put before `sub`, so that two issuers cannot name the same subject.')),
  allowPrivate: Type.Optional(
    Type.Boolean({ description: 'Whether `jwks` may be http and lead to a private address.' }),
  ),
})

const limits = section('What one caller, one request or one process may take.', {
  eventBytes: bytes('One event.'),
  bodyBytes: bytes('One JSON body.'),
  headBytes: bytes('The head of a request.', 1024),
  headTimeoutMs: duration('How long the head of a request may take.'),
  bodyIdleMs: duration('How long a body may stand still.'),
  producersPerSession: count('Numbering producers of one session.'),
  connections: count('Open connections.'),
  connectionsPerSubject: count('Open connections of one subject.'),
  idleConnections: count('Open connections without a request; those that idle longest are closed first.'),
  idleConnectionsPerAddress: count('The same, from one network address.'),
  requestsPerSecond: count('Requests of one subject.'),
  pendingBytes: bytes('Events that wait to be stored.'),
  subscriptionsPerConnection: count('Subscriptions on one WebSocket.'),
  subscriptions: count('Subscriptions on all WebSockets.'),
  subscriptionsPerSubject: count('Subscriptions on all WebSockets of one subject.'),
  stalledMs: duration('How long a reader may take no byte before it is reset.'),
  ringBytes: bytes('Recent frames that one view keeps while a reader is stalled.'),
  ringsBytes: bytes(
    'Memory for everything that stalled readers wait for; beyond it, frames are made again from the log.',
  ),
  sliceBytes: bytes('One write to one reader.', 1024),
  idleSessionMs: duration('How long a session without writers and readers stays in memory.'),
  openSessions: count('Sessions in memory.'),
  storedBytesPerSubject: Type.Optional(
    bytes('All sessions of one subject in the log. The gateway counts them when it starts.'),
  ),
  openQuestions: count('Open questions in all.'),
  openQuestionsPerSubject: count('Open questions of one subject.'),
})

const retention = section('Which ended sessions are removed, those that ended first going first.', {
  maxAgeMs: Type.Optional(
    duration('Remove a session that ended longer ago than this.', 1, Number.MAX_SAFE_INTEGER),
  ),
  maxBytes: Type.Optional(bytes('Remove ended sessions until all records take no more than this.')),
})

const upstream = section('An AAEP producer elsewhere whose events are taken in.', {
  url: Type.String({
    pattern: '^https?://[^?#\\s]+$',
    description: 'Where it is, without the paths of its dialect, such as `https://agents.example.org`.',
  }),
  token: Type.Optional(text('The credential to show there.')),
  tokenFile: Type.Optional(text('File with the credential, read whenever the gateway connects.')),
  framing: Type.Optional(
    Type.Enum(['named', 'plain'], {
      description: '`plain` for a producer that serves `/events` without a handshake.',
    }),
  ),
  allowPrivate: Type.Optional(
    Type.Boolean({ description: 'Whether `url` may be http and lead to a private address.' }),
  ),
  labels: Type.Optional(
    Type.Record(Type.String(), Type.String(), { description: 'Labels of the sessions that it brings.' }),
  ),
})

const aaep = section('What assistive clients get.', {
  agent: text('The id under which the gateway speaks to assistive clients.'),
  name: text('Its name for people.'),
  contact: Type.Optional(text('Whom to turn to: an address that the manifest tells.')),
  subscriptions: count('Subscriptions of assistive clients in all.'),
  subscriptionsPerSubject: count('Subscriptions of assistive clients of one subject.'),
  subscriptionIdleMs: duration(
    'How long a subscription that nobody reads is kept.',
    1000,
    Number.MAX_SAFE_INTEGER,
  ),
  socket: Type.Optional(
    text('A Unix domain socket for programs of the same user; `auto` is where they look for it.'),
  ),
  upstreams: Type.Array(upstream, { description: 'AAEP producers elsewhere that are followed.' }),
})

const configFields = {
  host: text('The address to listen on.'),
  port: Type.Integer({
    minimum: 0,
    maximum: 65_535,
    description: 'The port to listen on; 0 takes a free one.',
  }),
  data: Type.Optional(text('The directory that holds all data.')),
  tls: Type.Optional(
    section('Serve https.', {
      cert: text('File with the certificate chain, as PEM.'),
      key: text('File with its private key, as PEM.'),
    }),
  ),
  hosts: Type.Array(text('A host name.'), {
    description: 'Further names under which the gateway is reached, as `Host` says them.',
  }),
  origins: Type.Array(
    Type.String({
      pattern: '^(https?://[^/\\s]+)$',
      description: 'An origin such as `https://app.example.org`.',
    }),
    { description: 'Web origins whose pages may use the gateway, besides its own.' },
  ),
  auth: section('Who may enter.', {
    anonymous: Type.Optional(
      Type.Boolean({
        description:
          'Whether everyone who reaches a gateway on loopback may read and publish without a credential, also through a proxy. By default only programs of this machine may, and nobody once `hosts` has a name of other machines.',
      }),
    ),
    keys: Type.Optional(text('File with API keys; `keys.json` in the data directory without it.')),
    jwt: Type.Array(jwtIssuer, { description: 'Issuers whose JWTs are taken.' }),
  }),
  limits,
  aaep,
  agents: Type.Optional(agents),
  retention,
  heartbeatMs: duration('How long a stream may be silent before a heartbeat is sent.', 10),
  drainMs: duration('How long a gateway that stops waits for requests and runs under way.', 0),
  logLevel: Type.Enum(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'], {
    description: 'The least severe log lines that are written.',
  }),
  minFreeBytes: bytes('Nothing is taken in while the disk has less room than this.', 0),
}

/** The complete configuration, with all defaults filled in. */
export const filledSchema = section('The configuration of a Sluice gateway.', configFields)
