import { randomBytes } from 'node:crypto'
import { type Clock, omitUndefined, SluiceError } from '@sluice/protocol'
import { anonymous, type Caller } from './caller.ts'
import { type Credential, createCallers, keyMarkLength } from './credential.ts'
import type { JwtVerifier } from './jwt.ts'
import type { KeyTable } from './key-file.ts'
import { type Logins, openLogins } from './logins.ts'
import type { SecretStore } from './secrets.ts'
import { type Claims, createTokenSigner, maxTokenLength, type Purpose } from './signed-token.ts'
import type { WatchedFile } from './watched-file.ts'

/** What a request presents to identify its caller. */
export interface Credentials {
  readonly authorization?: string
  readonly ticket?: string
  /** The subprotocols that a WebSocket offers. */
  readonly protocols?: readonly string[]
  /** Whether the request is served without a credential. */
  readonly isOpen: boolean
}

/** Identifies the caller of a request, and issues credentials derived from the caller's own. */
export interface Authenticator {
  /**
   * Uses the first of: `Authorization`, a subprotocol `bearer.…`, the ticket. Without any of them, the caller
   * of an open request is anonymous. Throws `unauthenticated` or `token_expired`.
   */
  authenticate(credentials: Credentials): Promise<Caller>
  /**
   * Whether the credential is still valid: not expired, its login not ended, its key neither revoked nor
   * changed.
   */
  isCurrent(caller: Caller): boolean
  /**
   * The user who runs the gateway, for a socket that only this user can open and that needs no credential.
   */
  local(): Caller
  /**
   * A credential that reads one session or subscription. Does not check that the caller itself may read it.
   */
  issueTicket(
    caller: Caller,
    bound: TicketBound,
  ): Promise<{ readonly ticket: string; readonly expiresAt: number }>
  /**
   * A bearer token with which a page uses a key or a JWT for up to 12 hours. Throws `unauthenticated` for
   * others.
   */
  issueLogin(caller: Caller): { readonly token: string; readonly expiresAt: number }
  /** Ends the caller's login and everything issued from it. Does nothing for other credentials. */
  endLogin(caller: Caller): void
}

/** What a ticket may read. */
export type TicketBound =
  | { readonly session: string; readonly dialect?: string }
  | { readonly subscription: string }

export interface AuthenticatorParts {
  readonly clock: Clock
  readonly secrets: SecretStore
  readonly keys?: WatchedFile<KeyTable>
  readonly verifyJwt?: JwtVerifier
  readonly localKey?: string
  /** Without it, logins end with the process. */
  readonly logins?: Logins
}

const hourMs = 60 * 60_000
/** How long tickets and logins are valid, unless their credential expires earlier. */
const lifetimeMs = { ticket: 24 * hourMs, login: 12 * hourMs } as const
/** Distinguishes a login from an API key and from a JWT. */
const loginPrefix = 'sluice-login_'
const bearerProtocol = 'bearer.'

export function createAuthenticator(parts: AuthenticatorParts): Authenticator {
  const { clock } = parts
  const logins = parts.logins ?? openLogins(clock)
  const signer = createTokenSigner(parts.secrets)
  const callers = createCallers({ ...parts, logins })

  async function fromBearer(token: string): Promise<Caller> {
    if (token.startsWith('sluice_')) return callers.fromKey(token)
    if (token.startsWith(loginPrefix)) return fromSigned('login', token.slice(loginPrefix.length)) ?? refuse()
    if (parts.verifyJwt === undefined) throw new SluiceError('unauthenticated')
    return callers.fromJwt(await parts.verifyJwt(token))
  }

  /**
   * Undefined when the token is not ours, or the credential that it was issued from is gone. Throws
   * `token_expired`.
   */
  function fromSigned(purpose: Purpose, token: string, { isOpen = false } = {}): Caller | undefined {
    const claims = signer.read(purpose, token)
    if (claims === undefined || (claims.by === 'anonymous' && !isOpen)) return undefined
    return callers.fromClaims(claims, purpose)
  }

  function makeClaims(caller: Caller, purpose: keyof typeof lifetimeMs): Claims {
    const credential = callers.credentialOf(caller)
    if (credential === undefined || caller.via === 'ticket') throw new SluiceError('forbidden')
    const expiresAt = Math.min(
      caller.expiresAt ?? Number.POSITIVE_INFINITY,
      clock.now() + lifetimeMs[purpose],
    )
    return { subject: caller.subject, expiresAt, ...toClaims(credential) }
  }

  return {
    async authenticate({ authorization, ticket, protocols, isOpen }) {
      const bearer = authorization === undefined ? readProtocol(protocols) : readBearer(authorization)
      if (bearer !== undefined) return fromBearer(bearer)
      if (ticket !== undefined) return fromSigned('ticket', ticket, { isOpen }) ?? refuse()
      return isOpen ? anonymous : refuse()
    },

    isCurrent: callers.isCurrent,

    local: callers.local,

    async issueTicket(caller, bound) {
      const whole = makeClaims(caller, 'ticket')
      const { grants: _, agent: __, ...claims } = whole
      // The sessions of a subscription are checked while it is read, so its ticket keeps the grants.
      const token = signer.sign('ticket', { ...('subscription' in bound ? whole : claims), ...bound })
      if (token.length > maxTokenLength)
        throw new SluiceError('forbidden', { message: 'The token has more grants than a ticket can hold.' })
      return { ticket: token, expiresAt: claims.expiresAt }
    },

    issueLogin(caller) {
      if (caller.via !== 'key' && caller.via !== 'jwt') refuse()
      const id = randomBytes(12).toString('base64url')
      const claims = { ...makeClaims(caller, 'login'), login: id }
      const token = signer.sign('login', claims)
      if (token.length > maxTokenLength)
        throw new SluiceError('forbidden', { message: 'The token has more grants than a login can hold.' })
      logins.add({ id, subject: caller.subject, expiresAt: claims.expiresAt })
      return { token: loginPrefix + token, expiresAt: claims.expiresAt }
    },

    endLogin(caller) {
      const id = caller.via === 'login' ? callers.credentialOf(caller)?.login : undefined
      if (id !== undefined) logins.end(id)
    },
  }
}

function toClaims(
  credential: Credential,
): Pick<Claims, 'by' | 'key' | 'keyMark' | 'grants' | 'agent' | 'login'> {
  const from = credential.login === undefined ? {} : { login: credential.login }
  switch (credential.by) {
    case 'anonymous':
      return { by: 'anonymous' }
    case 'key':
      return {
        by: 'key',
        key: credential.record.id,
        keyMark: credential.record.hash.slice(0, keyMarkLength),
        ...from,
      }
    case 'jwt':
      return {
        by: 'jwt',
        grants: credential.grants,
        ...omitUndefined({ agent: credential.agent }),
        ...from,
      }
  }
}

function readBearer(authorization: string): string {
  const [, token] = /^bearer +([^\s]+) *$/i.exec(authorization) ?? []
  return token ?? refuse()
}

function readProtocol(protocols: readonly string[] = []): string | undefined {
  const offered = protocols.find((protocol) => protocol.startsWith(bearerProtocol))
  if (offered === undefined) return undefined
  return Buffer.from(offered.slice(bearerProtocol.length), 'base64url').toString('utf8')
}

function refuse(): never {
  throw new SluiceError('unauthenticated')
}
