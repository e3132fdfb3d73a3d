import { createHash, generateKeyPairSync } from 'node:crypto'
import { join } from 'node:path'
import { SluiceError } from '@sluice/protocol'
import Type from 'typebox'
import { parseJsonFile } from '../../access/json-file.ts'
import { editPrivateFile, readIfThere } from '../../access/private-file.ts'

const coordinate = Type.String({ pattern: '^[\\w-]{43}$' })
const time = Type.String({ pattern: '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d(\\.\\d+)?Z$' })

const signingKey = Type.Object(
  {
    kid: Type.String({ pattern: '^[\\w-]{16}$' }),
    state: Type.Enum(['next', 'active', 'retired']),
    createdAt: time,
    retiredAt: Type.Optional(time),
    x: coordinate,
    y: coordinate,
    /** The private part; a retired key has none. */
    d: Type.Optional(coordinate),
  },
  { additionalProperties: false },
)

const signingKeyFile = Type.Object(
  { version: Type.Literal(1), keys: Type.Array(signingKey) },
  { additionalProperties: false },
)

/** A key on the curve P-256 that signs the manifest, will sign it next, or has signed it. */
export type SigningKey = Readonly<Type.Static<typeof signingKey>>

/** Where the keys of a data directory are. */
export function signingKeyFileOf(dataDir: string): string {
  return join(dataDir, 'aaep-keys.json')
}

/** The keys of the file in order of creation; empty without a file. Throws `bad_config`. */
export function listSigningKeys(path: string): readonly SigningKey[] {
  return parseSigningKeys(path, readIfThere(path))
}

/**
 * Adds a key. The first one is active immediately; a second one is published, and becomes active at the next
 * rotation. Throws `bad_request` when a key is already waiting for its rotation.
 */
export function addSigningKey(path: string, at: number): SigningKey {
  let made: SigningKey | undefined
  editSigningKeys(path, (keys) => {
    if (keys.some(({ state }) => state === 'next'))
      throw new SluiceError('bad_request', { message: 'There is a key that waits for its rotation already.' })
    made = mintSigningKey(keys.some(({ state }) => state === 'active') ? 'next' : 'active', at)
    return [...keys, made]
  })
  if (made === undefined) throw new TypeError('a key is made or an error is thrown')
  return made
}

/** How long a retired key stays published, so that its signatures can be verified. */
export const retiredForMs = 30 * 24 * 3_600_000

/**
 * Activates the waiting key, or a fresh one, and retires the active one: its private part is deleted, its
 * public part stays published for a while. Returns the active key.
 */
export function rotateSigningKeys(path: string, at: number): SigningKey {
  const fresh = mintSigningKey('active', at)
  let active = fresh
  editSigningKeys(path, (keys) => {
    const next = keys.find(({ state }) => state === 'next')
    active = next === undefined ? fresh : { ...next, state: 'active' }
    const others = keys
      .filter((key) => key !== next && isPublished(key, at))
      .map((key) => (key.state === 'active' ? retire(key, at) : key))
    return [...others, active]
  })
  return active
}

/** Removes a key; false when the file has no key with this id. Without an active key nothing is signed. */
export function removeSigningKey(path: string, kid: string): boolean {
  let isFound = false
  editSigningKeys(path, (keys) => {
    isFound = keys.some((key) => key.kid === kid)
    return keys.filter((key) => key.kid !== kid)
  })
  return isFound
}

export interface PublicJwks {
  readonly keys: readonly Readonly<Record<'kty' | 'crv' | 'x' | 'y' | 'kid' | 'alg' | 'use', string>>[]
}

/** The public parts of the keys that are published at this time (RFC 7517). */
export function toJwks(keys: readonly SigningKey[], at: number): PublicJwks {
  const published = keys.filter((key) => isPublished(key, at))
  return {
    keys: published.map(({ kid, x, y }) => ({
      kty: 'EC',
      crv: 'P-256',
      x,
      y,
      kid,
      alg: 'ES256',
      use: 'sig',
    })),
  }
}

/** Parses the file; a missing file (undefined) has no keys. Throws `bad_config` with the faulty place. */
export function parseSigningKeys(path: string, text: string | undefined): readonly SigningKey[] {
  if (text === undefined) return []
  const { keys } = parseJsonFile(path, text, signingKeyFile)
  const bad = (index: number, message: string): SluiceError =>
    new SluiceError('bad_config', { message: `${path}: /keys/${index}: ${message}` })
  for (const [index, key] of keys.entries()) {
    const before = keys.slice(0, index)
    if (before.some(({ kid }) => kid === key.kid)) throw bad(index, 'another key has this id already')
    if (key.state === 'retired') continue
    if (key.d === undefined) throw bad(index, 'the private part is missing')
    if (before.some(({ state }) => state === key.state))
      throw bad(index, `another key is ${key.state} already`)
  }
  return keys
}

function isPublished({ state, retiredAt }: SigningKey, at: number): boolean {
  return state !== 'retired' || (retiredAt !== undefined && at - Date.parse(retiredAt) < retiredForMs)
}

function retire({ d: _, ...key }: SigningKey, at: number): SigningKey {
  return { ...key, state: 'retired', retiredAt: new Date(at).toISOString() }
}

function mintSigningKey(state: SigningKey['state'], at: number): SigningKey {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const { x = '', y = '', d = '' } = privateKey.export({ format: 'jwk' })
  // The beginning of its thumbprint (RFC 7638).
  const kid = createHash('sha256')
    .update(JSON.stringify({ crv: 'P-256', kty: 'EC', x, y }))
    .digest('base64url')
    .slice(0, 16)
  return { kid, state, createdAt: new Date(at).toISOString(), x, y, d }
}

function editSigningKeys(path: string, edit: (keys: readonly SigningKey[]) => readonly SigningKey[]): void {
  editPrivateFile(path, (before) => {
    const keys = edit(parseSigningKeys(path, before))
    const text = `${JSON.stringify({ version: 1, keys }, null, 2)}\n`
    parseSigningKeys(path, text) // never write a file that could not be read again
    return text
  })
}
