import { hkdfSync, randomBytes } from 'node:crypto'
import { join } from 'node:path'
import Type from 'typebox'
import { parseJsonFile } from './json-file.ts'
import { createPrivateFile, editPrivateFile, readPrivateFile } from './private-file.ts'
import { type WatchParts, watchFile } from './watched-file.ts'

/** The secrets that sign tickets and logins: `current` signs, both verify. */
export interface Secrets {
  readonly current: string
  readonly previous?: string
}

export interface SecretStore {
  read(): Secrets
}

const secret = Type.String({ pattern: '^[\\w-]{43}$' })
const secretsFile = Type.Object(
  { version: Type.Literal(1), current: secret, previous: Type.Optional(secret) },
  { additionalProperties: false },
)

/** Secrets that live as long as the process. */
export function createSecretStore(): SecretStore {
  const secrets = { current: mintSecret() }
  return { read: () => secrets }
}

/** The secrets of a data directory, in `secrets.json`; created on first use. */
export function openSecretStore(dataDir: string, parts: WatchParts): SecretStore {
  const path = join(dataDir, 'secrets.json')
  createPrivateFile(path, format({ current: mintSecret() }))
  readPrivateFile(path)
  let last: Secrets | undefined
  const file = watchFile(path, {
    ...parts,
    parse(text) {
      // If the file disappears, everything signed stays valid until the next start.
      last = text === undefined && last !== undefined ? last : parseSecrets(path, text ?? '')
      return last
    },
  })
  return { read: () => file.current() }
}

/**
 * Signs with a fresh secret from this point on. Signatures of the previous one stay valid until the next
 * rotation.
 */
export function rotateSecrets(dataDir: string): void {
  const path = join(dataDir, 'secrets.json')
  editPrivateFile(path, (text) => {
    const previous = text === undefined ? {} : { previous: parseSecrets(path, text).current }
    return format({ current: mintSecret(), ...previous })
  })
}

/** The key for one purpose, so that a signature for another purpose is not accepted. */
export function deriveKey(secret: string, purpose: string): Uint8Array {
  return new Uint8Array(hkdfSync('sha256', Buffer.from(secret, 'base64url'), '', `sluice ${purpose} v1`, 32))
}

function parseSecrets(path: string, text: string): Secrets {
  return parseJsonFile(path, text, secretsFile)
}

function format(secrets: Secrets): string {
  return `${JSON.stringify({ version: 1, ...secrets }, null, 2)}\n`
}

function mintSecret(): string {
  return randomBytes(32).toString('base64url')
}
