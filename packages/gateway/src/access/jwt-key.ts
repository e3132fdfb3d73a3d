import { createPublicKey, X509Certificate } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { isJsonObject, SluiceError } from '@sluice/protocol'
import {
  createLocalJWKSet,
  exportJWK,
  importJWK,
  type JSONWebKeySet,
  type JWK,
  type JWTVerifyGetKey,
} from 'jose'
import { readPrivateFile } from './private-file.ts'

/** The shortest secret accepted for HMAC: the size of the smallest hash, RFC 7518 §3.2. */
const minSecretBytes = 32

/**
 * Loads the keys of an issuer from a file: a JWK, a JWK set, or one public key or certificate as PEM. Throws `bad_config`
 * when the file does not fit the algorithm.
 */
export async function loadKeyFile(path: string, algorithm: string): Promise<JWTVerifyGetKey> {
  const bad = (message: string, cause?: unknown): SluiceError =>
    new SluiceError('bad_config', { message: `${path}: ${message}`, cause })
  if (!existsSync(path)) throw bad('There is no such file.')
  const text = isHmac(algorithm) ? readPrivateFile(path) : readFileSync(path, 'utf8')
  try {
    const keys = text.includes('-----BEGIN ') ? [await readPem(text)] : readJson(text)
    const fault = faultOf(keys, algorithm)
    if (fault !== undefined) throw bad(fault)
    const [first] = await Promise.all(keys.map((key) => importJWK(key, algorithm)))
    // jose does not look for secrets in a set.
    if (isHmac(algorithm) && first !== undefined) return async () => first
    return createLocalJWKSet({ keys: keys.map((key) => ({ ...key, alg: key.alg ?? algorithm })) })
  } catch (cause) {
    if (cause instanceof SluiceError) throw cause
    throw bad(`This is neither a JWK, nor a JWK set, nor a PEM, for ${algorithm}.`, cause)
  }
}

async function readPem(text: string): Promise<JWK> {
  if (text.includes('PRIVATE KEY')) return { kty: 'private' }
  const key = text.includes('CERTIFICATE') ? new X509Certificate(text).publicKey : createPublicKey(text)
  return exportJWK(key)
}

function readJson(text: string): readonly JWK[] {
  const content: unknown = JSON.parse(text)
  if (!isJsonObject(content)) throw new Error('not an object')
  const keys = Array.isArray(content['keys']) ? (content as unknown as JSONWebKeySet).keys : [content]
  return keys as readonly JWK[] // importJWK() checks each
}

function faultOf(keys: readonly JWK[], algorithm: string): string | undefined {
  if (keys.length === 0) return 'There is no key in it.'
  if (keys.length > 1 && isHmac(algorithm)) return `Of secrets for ${algorithm} only one is taken.`
  for (const key of keys) {
    const isSecret = key.kty === 'oct'
    if (!isSecret && (key.d !== undefined || key.kty === 'private'))
      return 'This is a private key; only the issuer may have it.'
    if (isSecret !== isHmac(algorithm)) return `The key is not one for ${algorithm}.`
    if (isSecret && Buffer.from(key.k ?? '', 'base64url').length < minSecretBytes)
      return `A secret needs at least ${minSecretBytes} bytes.`
  }
  return undefined
}

/** Whether a verifier could also sign. */
export function isHmac(algorithm: string): boolean {
  return algorithm.startsWith('HS')
}
