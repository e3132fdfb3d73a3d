import { type Clock, SluiceError } from '@sluice/protocol'
import { hashApiKey, isKeyOf, keyIdOf } from './api-key.ts'
import { anonymous, type Caller } from './caller.ts'
import { createReach, parseGrants } from './grants.ts'
import type { VerifiedJwt } from './jwt.ts'
import { expiryOf, type KeyRecord, type KeyTable } from './key-file.ts'
import { localName, mintLocalKey } from './local-key.ts'
import type { Logins } from './logins.ts'
import type { Claims, Purpose } from './signed-token.ts'
import type { WatchedFile } from './watched-file.ts'

/** What a caller has proved, directly or with a ticket or login issued from it. */
export type Credential = (
  | { readonly by: 'anonymous' }
  | { readonly by: 'key'; readonly record: KeyRecord }
  | { readonly by: 'jwt'; readonly grants: readonly string[]; readonly agent: string | undefined }
) & {
  /** The login that proved it, which can be ended. */
  readonly login?: string
}

export interface CallerParts {
  readonly clock: Clock
  readonly keys?: WatchedFile<KeyTable>
  readonly localKey?: string
  readonly logins: Pick<Logins, 'has'>
}

/** Makes callers, and remembers the credential of each. */
export interface Callers {
  /** Throws `unauthenticated` or `token_expired`. */
  fromKey(key: string): Caller
  fromJwt(jwt: VerifiedJwt): Caller
  /** The owner of the local key, without proof. */
  local(): Caller
  /** Undefined when the key or the login that the claims name is gone. Throws `token_expired`. */
  fromClaims(claims: Claims, purpose: Purpose): Caller | undefined
  isCurrent(caller: Caller): boolean
  /** Undefined for a caller that was not made here. */
  credentialOf(caller: Caller): Credential | undefined
}

/** The length of the part of a stored hash that tickets and logins carry: the prefix and 64 bits. */
export const keyMarkLength = 'sha256:'.length + 16

export function createCallers({ clock, keys, localKey, logins }: CallerParts): Callers {
  const credentials = new WeakMap<Caller, Credential>([[anonymous, { by: 'anonymous' }]])
  // If no local key is given, this uses a fresh one that nobody has.
  const local = toLocalRecord(localKey ?? mintLocalKey())

  const findKey = (id: string): KeyRecord | undefined => (id === localName ? local : keys?.current().get(id))

  function remember(caller: Caller, credential: Credential): Caller {
    credentials.set(caller, credential)
    return caller
  }

  const isEnded = ({ login }: Credential): boolean => login !== undefined && !logins.has(login)

  function assertCurrent(expiresAt: number | undefined): void {
    if (expiresAt !== undefined && expiresAt <= clock.now()) throw new SluiceError('token_expired')
  }

  return {
    fromKey(key) {
      const record = findKey(keyIdOf(key) ?? '')
      if (record === undefined || !isKeyOf(key, record.hash)) throw new SluiceError('unauthenticated')
      assertCurrent(expiryOf(record))
      return remember(createCaller(record, 'key', expiryOf(record)), { by: 'key', record })
    },

    local: () => remember(createCaller(local, 'key', undefined), { by: 'key', record: local }),

    fromJwt({ subject, grants, agent, expiresAt }) {
      const caller = createCaller({ subject, grants, agent }, 'jwt', expiresAt)
      return remember(caller, { by: 'jwt', grants, agent })
    },

    fromClaims(claims, purpose) {
      const credential = readCredential(claims, findKey)
      if (credential === undefined) return undefined
      const expiresAt =
        credential.by === 'key' ? earlier(expiryOf(credential.record), claims) : claims.expiresAt
      assertCurrent(expiresAt)
      if (isEnded(credential)) return undefined
      const whole = toWhole(credential, claims.subject, expiresAt)
      return remember(purpose === 'ticket' ? narrow(whole, claims) : whole, credential)
    },

    isCurrent(caller) {
      const credential = credentials.get(caller)
      if (credential === undefined || isEnded(credential)) return false
      if (caller.expiresAt !== undefined && caller.expiresAt <= clock.now()) return false
      if (credential.by !== 'key') return true
      const { record } = credential
      const found = findKey(record.id)
      return found === record || JSON.stringify(found) === JSON.stringify(record)
    },

    credentialOf: (caller) => credentials.get(caller),
  }
}

interface Holder {
  readonly subject: string
  readonly grants: readonly string[]
  readonly agent?: string | undefined
}

function createCaller(holder: Holder, via: Caller['via'], expiresAt: number | undefined): Caller {
  const { subject, agent } = holder
  const grants = parseGrants(holder.grants)
  if (grants === undefined)
    throw new SluiceError('unauthenticated', { message: 'The grants of the credential cannot be read.' })
  return {
    subject,
    via,
    expiresAt,
    agent,
    readsDialect: undefined,
    ...createReach(grants, { subject, agent }),
  }
}

function readCredential(
  claims: Claims,
  findKey: (id: string) => KeyRecord | undefined,
): Credential | undefined {
  const from = claims.login === undefined ? {} : { login: claims.login }
  if (claims.by === 'anonymous') return { by: 'anonymous' }
  if (claims.by === 'jwt') return { by: 'jwt', grants: claims.grants ?? [], agent: claims.agent, ...from }
  const record = findKey(claims.key ?? '')
  const isSame = record?.hash.slice(0, keyMarkLength) === claims.keyMark && record?.subject === claims.subject
  return record === undefined || !isSame ? undefined : { by: 'key', record, ...from }
}

function toWhole(credential: Credential, subject: string, expiresAt: number): Caller {
  switch (credential.by) {
    case 'anonymous':
      return { ...anonymous, via: 'login', expiresAt }
    case 'key':
      return createCaller(credential.record, 'login', expiresAt)
    case 'jwt':
      return createCaller({ subject, grants: credential.grants, agent: credential.agent }, 'login', expiresAt)
  }
}

/** A ticket reads the session or subscription that it names, if its original credential may still read it. */
function narrow(whole: Caller, { session, subscription, dialect, by }: Claims): Caller {
  // Tickets for a session leave out the grants of a JWT: these cannot change, and were checked when it was
  // issued.
  const isAsked = by === 'jwt' && subscription === undefined
  const reads: Caller['can'] = (action, target) =>
    action === 'subscribe' &&
    (subscription !== undefined || target.id === session) &&
    (isAsked || whole.can('subscribe', target))
  return {
    subject: whole.subject,
    via: 'ticket',
    expiresAt: whole.expiresAt,
    agent: undefined,
    readsDialect: dialect,
    readsSubscription: subscription,
    can: reads,
    canCreate: () => false,
    canSome: (action) => action === 'subscribe',
  }
}

function earlier(expiry: number | undefined, { expiresAt }: Claims): number {
  return Math.min(expiry ?? expiresAt, expiresAt)
}

function toLocalRecord(key: string): KeyRecord {
  return { id: localName, subject: localName, hash: hashApiKey(key), grants: ['*:*'] }
}
