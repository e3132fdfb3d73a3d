import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'

/** An API key is `sluice_`, its id, `_` and 256 random bits in base64url. */
const keyPattern = /^sluice_([a-z0-9]{1,32})_[\w-]{43}$/

/** The pattern of a key's id, and of its stored hash. */
export const keyIdPattern = '^[a-z0-9]{1,32}$'
export const keyHashPattern = '^sha256:[0-9a-f]{64}$'

/** Mints a key with the given id, or with a random one. */
export function mintApiKey(id: string = mintKeyId()): { readonly id: string; readonly key: string } {
  return { id, key: `sluice_${id}_${randomBytes(32).toString('base64url')}` }
}

/** The id inside a key; undefined when the text does not have the form of a key. */
export function keyIdOf(key: string): string | undefined {
  return keyPattern.exec(key)?.[1]
}

/** The stored form of a key. A key has 256 random bits, so a plain hash cannot be searched. */
export function hashApiKey(key: string): string {
  return `sha256:${createHash('sha256').update(key).digest('hex')}`
}

/** Whether `hash` is the hash of `key`; takes the same time wherever they differ. */
export function isKeyOf(key: string, hash: string): boolean {
  return equalsInConstantTime(hashApiKey(key), hash)
}

/** Compares two texts; the time this takes reveals only their lengths. */
export function equalsInConstantTime(a: string, b: string): boolean {
  const left = Buffer.from(a)
  const right = Buffer.from(b)
  return left.length === right.length && timingSafeEqual(left, right)
}

function mintKeyId(): string {
  const alphabet = 'abcdefghijklmnopqrstuvwxyz234567'
  return [...randomBytes(10)].map((byte) => alphabet[byte & 31]).join('')
}
