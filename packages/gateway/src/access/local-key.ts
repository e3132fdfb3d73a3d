import { join } from 'node:path'
import { SluiceError } from '@sluice/protocol'
import { keyIdOf, mintApiKey } from './api-key.ts'
import { createPrivateFile, readPrivateFile } from './private-file.ts'

/** The id of the local key, and the subject of its owner. */
export const localName = 'local'

/** A key with all grants for the user who runs the gateway. */
export function mintLocalKey(): string {
  return mintApiKey(localName).key
}

/** The local key of a data directory, in `local.key`; created on first use. Only its owner can read it. */
export function ensureLocalKey(dataDir: string): string {
  const path = join(dataDir, 'local.key')
  createPrivateFile(path, `${mintLocalKey()}\n`)
  const key = readPrivateFile(path).trim()
  if (keyIdOf(key) === localName) return key
  throw new SluiceError('bad_config', { message: `${path} holds no key. Remove it to get a new one.` })
}
