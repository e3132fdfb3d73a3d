import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'

/** An API key is `sluice_`, its id, `_` and 256 random bits in base64url. */
const keyPattern = /^sluice_([a-z0-9]{1,32})_[\w-]{43}$/

/** The pattern of a key's id, and of its stored hash. */
export const keyIdPattern = '^[a-z0-9]{1,32}$'
export const keyHashPattern = '^sha256:[0-9a-f]{64}$'

/** Makes a key with a random id, or with this one. */
export function mintApiKey(id: string = mintKeyId()): { readonly id: string; readonly key: string } {
  return { id, key: `sluice_${id}_${randomBytes(32).toString('base64url')}` }
}

/** The id inside of a key; undefined when the text has not the form of one. */
export function keyIdOf(key: string): string | undefined {
  return keyPattern.exec(key)?.[1]
}

/** What is stored of a key. It has 256 random bits, so that a plain hash cannot be searched. */
export function hashApiKey(key: string): string {
  return `sha256:${createHash('sha256').update(key).digest('hex')}`
}

/** Whether `key` is the one behind `hash`, in a time that does not depend on where they differ. */
export function isKeyOf(key: string, hash: string): boolean {
  return equalsInConstantTime(hashApiKey(key), hash)
}

/** Compares two texts; only their lengths can be told from the time that it takes. */
export function equalsInConstantTime(a: string, b: string): boolean {
  const left = Buffer.from(a)
  const right = Buffer.from(b)
  return left.length === right.length && timingSafeEqual(left, right)
}

function mintKeyId(): string {
  const alphabet = 'abcdefghijklmnopqrstuvwxyz234567'
  return [...randomBytes(10)].map((byte) => alphabet[byte & 31]).join('')
}
