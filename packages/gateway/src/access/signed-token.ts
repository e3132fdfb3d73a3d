import { createHmac } from 'node:crypto'
import { isJsonObject } from '@sluice/protocol'
import { equalsInConstantTime } from './api-key.ts'
import { deriveKey, type SecretStore } from './secrets.ts'

/**
 * The content of a ticket or a login. It was signed by us, so its shape is known once the signature is valid.
 */
export interface Claims {
  readonly subject: string
  /** In milliseconds. */
  readonly expiresAt: number
  readonly by: 'anonymous' | 'key' | 'jwt'
  /**
   * For a key: its id and the beginning of its hash, so that another key with the same id is not accepted.
   */
  readonly key?: string
  readonly keyMark?: string
  /** For a JWT. */
  readonly grants?: readonly string[]
  readonly agent?: string
  /** For a login and everything issued from it: its id in the list of logins. */
  readonly login?: string
  /** For a ticket. */
  readonly session?: string
  readonly subscription?: string
  readonly dialect?: string
}

export type Purpose = 'ticket' | 'login'

/**
 * Signs and reads tickets and logins. Reading returns undefined for everything that was not signed for this
 * purpose.
 */
export interface TokenSigner {
  sign(purpose: Purpose, claims: Claims): string
  read(purpose: Purpose, token: string): Claims | undefined
}

/** Longer tokens are not examined: they have to fit into the head of a request. */
export const maxTokenLength = 4000

export function createTokenSigner(store: SecretStore): TokenSigner {
  const keys = new Map<string, Uint8Array>()

  function keyOf(secret: string, purpose: Purpose): Uint8Array {
    const name = `${purpose} ${secret}`
    const known = keys.get(name)
    if (known !== undefined) return known
    if (keys.size >= 8) keys.clear() // two secrets for two purposes, and those of a rotation
    const key = deriveKey(secret, purpose)
    keys.set(name, key)
    return key
  }

  const seal = (secret: string, purpose: Purpose, body: string): string =>
    createHmac('sha256', keyOf(secret, purpose)).update(body).digest('base64url')

  return {
    sign(purpose, claims) {
      const body = Buffer.from(JSON.stringify(claims)).toString('base64url')
      return `${body}.${seal(store.read().current, purpose, body)}`
    },
    read(purpose, token) {
      const [body, mac, ...more] = token.length > maxTokenLength ? [] : token.split('.')
      if (body === undefined || mac === undefined || more.length > 0) return undefined
      const { current, previous } = store.read()
      const secrets = previous === undefined ? [current] : [current, previous]
      // Compared as texts: base64url has several encodings of the same bytes.
      const isOurs = secrets.some((secret) => equalsInConstantTime(mac, seal(secret, purpose, body)))
      return isOurs ? parseClaims(body) : undefined
    },
  }
}

function parseClaims(body: string): Claims | undefined {
  const value: unknown = JSON.parse(Buffer.from(body, 'base64url').toString('utf8'))
  return isJsonObject(value) ? (value as unknown as Claims) : undefined // signed by sign()
}
