import { hkdfSync, randomBytes } from 'node:crypto'
import { join } from 'node:path'
import type { SluiceError } from '@sluice/protocol'
import Type from 'typebox'
import { parseJsonFile } from './json-file.ts'
import { createPrivateFile, editPrivateFile, readPrivateFile } from './private-file.ts'
import { watchFile } from './watched-file.ts'

/** What tickets and logins are signed with: with `current`, and taken with either. */
export interface Secrets {
  readonly current: string
  readonly previous?: string
}

/** Where the secrets are kept. */
export interface SecretStore {
  read(): Secrets
}

const secret = Type.String({ pattern: '^[\\w-]{43}$' })
const secretsFile = Type.Object(
  { version: Type.Literal(1), current: secret, previous: Type.Optional(secret) },
  { additionalProperties: false },
)

/** Secrets for as long as the process lives. */
export function createSecretStore(): SecretStore {
  const secrets = { current: mintSecret() }
  return { read: () => secrets }
}

/** The secrets of a data directory, in `secrets.json`; made when they are first needed. */
export function openSecretStore(dataDir: string, onProblem: (error: SluiceError) => void): SecretStore {
  const path = join(dataDir, 'secrets.json')
  createPrivateFile(path, format({ current: mintSecret() }))
  readPrivateFile(path)
  let last: Secrets | undefined
  const file = watchFile(path, {
    parse(text) {
      // A file that is gone keeps what was signed valid until the next start.
      last = text === undefined && last !== undefined ? last : parseSecrets(path, text ?? '')
      return last
    },
    onProblem,
  })
  return { read: () => file.current() }
}

/** Signs with a new secret from now on. What the one before signed stays valid until the next rotation. */
export function rotateSecrets(dataDir: string): void {
  const path = join(dataDir, 'secrets.json')
  editPrivateFile(path, (text) => {
    const previous = text === undefined ? {} : { previous: parseSecrets(path, text).current }
    return format({ current: mintSecret(), ...previous })
  })
}

/** The key for one purpose, so that what was signed for another one is not taken. */
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
