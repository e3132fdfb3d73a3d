import { type Clock, SluiceError } from '@sluice/protocol'
import { anonymous, type Caller } from './caller.ts'
import { clearCookie, formatCookie, readCookie } from './cookie.ts'
import { type Credential, createCallers, keyMarkLength } from './credential.ts'
import type { JwtVerifier } from './jwt.ts'
import type { KeyTable } from './key-file.ts'
import type { SecretStore } from './secrets.ts'
import { type Claims, createTokenSigner, maxTokenLength, type Purpose } from './signed-token.ts'
import type { WatchedFile } from './watched-file.ts'

/** What a request brought to say who sends it. */
export interface Credentials {
  readonly authorization?: string
  readonly cookie?: string
  readonly ticket?: string
  /** The subprotocols that a WebSocket offers. */
  readonly protocols?: readonly string[]
  /** Whether the gateway is bound to loopback only. */
  readonly isLoopback: boolean
}

/** Tells who sends a request, and makes the credentials that stand for another one. */
export interface Authenticator {
  /**
   * The first of: `Authorization`, a subprotocol `bearer.…`, the ticket, the cookie. Without any of them, on loopback,
   * everyone is anonymous. Throws `unauthenticated` or `token_expired`.
   */
  authenticate(credentials: Credentials): Promise<Caller>
  /** Whether the credential still holds: it has not expired, and its key was neither revoked nor changed. */
  isCurrent(caller: Caller): boolean
  /** Who runs the gateway, where that is known without a credential: a socket that only the owner can open. */
  local(): Caller
  /** A credential that reads one session or subscription. The caller must be known to reach it. */
  issueTicket(
    caller: Caller,
    bound: TicketBound,
  ): Promise<{ readonly ticket: string; readonly expiresAt: number }>
  /** The value of a Set-Cookie header. */
  issueCookie(caller: Caller, options: { readonly secure: boolean }): Promise<string>
  /** The value of the Set-Cookie header that removes the cookie. */
  clearCookie(options: { readonly secure: boolean }): string
}

/** What a ticket reads. */
export type TicketBound =
  | { readonly session: string; readonly dialect?: string }
  | { readonly subscription: string }

export interface AuthenticatorParts {
  readonly clock: Clock
  readonly secrets: SecretStore
  readonly keys?: WatchedFile<KeyTable>
  readonly verifyJwt?: JwtVerifier
  readonly localKey?: string
}

const dayMs = 24 * 60 * 60_000
/** How long what was made from a credential without an expiry is good for. */
const lifetimeMs = { ticket: dayMs, cookie: 30 * dayMs } as const
const bearerProtocol = 'bearer.'

export function createAuthenticator(parts: AuthenticatorParts): Authenticator {
  const { clock } = parts
  const signer = createTokenSigner(parts.secrets)
  const callers = createCallers(parts)

  async function fromBearer(token: string): Promise<Caller> {
    if (token.startsWith('sluice_')) return callers.fromKey(token)
    if (parts.verifyJwt === undefined) throw new SluiceError('unauthenticated')
    return callers.fromJwt(await parts.verifyJwt(token))
  }

  /** Undefined when the token is not ours, or what it stands for is gone. Throws `token_expired`. */
  function fromSigned(purpose: Purpose, token: string, isLoopback: boolean): Caller | undefined {
    const claims = signer.read(purpose, token)
    if (claims === undefined || (claims.by === 'anonymous' && !isLoopback)) return undefined
    return callers.fromClaims(claims, purpose)
  }

  function fromCookie(token: string, purpose: Purpose, isLoopback: boolean): Caller {
    // A browser sends what it has, also what another gateway on localhost has set.
    try {
      const caller = fromSigned(purpose, token, isLoopback)
      if (caller !== undefined) return caller
    } catch (error) {
      if (!isLoopback) throw error
    }
    return withoutCredential(isLoopback)
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
    async authenticate({ authorization, cookie, ticket, protocols, isLoopback }) {
      const bearer = authorization === undefined ? readProtocol(protocols) : readBearer(authorization)
      if (bearer !== undefined) return fromBearer(bearer)
      if (ticket !== undefined) return fromSigned('ticket', ticket, isLoopback) ?? refuse()
      const kept = readCookie(cookie)
      if (kept === undefined) return withoutCredential(isLoopback)
      return fromCookie(kept.token, cookiePurpose(kept.secure), isLoopback)
    },

    isCurrent: callers.isCurrent,

    local: callers.local,

    async issueTicket(caller, bound) {
      const whole = makeClaims(caller, 'ticket')
      const { grants: _, agent: __, ...claims } = whole
      // Which sessions a subscription covers is asked while it is read.
      const token = signer.sign('ticket', { ...('subscription' in bound ? whole : claims), ...bound })
      if (token.length > maxTokenLength)
        throw new SluiceError('forbidden', { message: 'The token has more grants than a ticket can hold.' })
      return { ticket: token, expiresAt: claims.expiresAt }
    },

    async issueCookie(caller, { secure }) {
      const claims = makeClaims(caller, 'cookie')
      const token = signer.sign(cookiePurpose(secure), claims)
      if (token.length > maxTokenLength)
        throw new SluiceError('forbidden', { message: 'The token has more grants than a cookie can hold.' })
      return formatCookie(token, { secure, maxAgeMs: claims.expiresAt - clock.now() })
    },

    clearCookie,
  }
}

function toClaims(credential: Credential): Pick<Claims, 'by' | 'key' | 'keyMark' | 'grants' | 'agent'> {
  switch (credential.by) {
    case 'anonymous':
      return { by: 'anonymous' }
    case 'key':
      return { by: 'key', key: credential.record.id, keyMark: credential.record.hash.slice(0, keyMarkLength) }
    case 'jwt':
      return {
        by: 'jwt',
        grants: credential.grants,
        ...(credential.agent === undefined ? {} : { agent: credential.agent }),
      }
  }
}

function cookiePurpose(secure: boolean): Purpose {
  return secure ? 'secure-cookie' : 'cookie'
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

function withoutCredential(isLoopback: boolean): Caller {
  return isLoopback ? anonymous : refuse()
}

function refuse(): never {
  throw new SluiceError('unauthenticated')
}
