import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { isJsonObject, type JsonObject } from '@sluice/protocol'
import type { Io } from '../io.ts'
import { userConfigDirectory } from './config-directory.ts'

/** What the user trusts in a folder: its configuration at that time, and the data directory with this key. */
export interface Trusted {
  readonly config?: string
  readonly data?: string
}

/** Identifies a text without revealing it. */
export function fingerprint(text: string): string {
  return `sha256:${createHash('sha256').update(text).digest('hex')}`
}

/** What the user trusts in the folder with this real path: nothing, if the file cannot be read. */
export async function readTrusted(env: Io['env'], folder: string): Promise<Trusted> {
  const text = await readFile(fileOf(env), 'utf8').catch(() => undefined)
  return toTrusted(parse(text)[folder])
}

/** Adds to the trust in a folder, and forgets folders that no longer exist. Throws if writing fails. */
export async function rememberTrusted(env: Io['env'], folder: string, more: Trusted): Promise<void> {
  const { editPrivateFile } = await import('@sluice/gateway/admin')
  editPrivateFile(fileOf(env), (before) => {
    const kept = Object.entries(parse(before)).filter(([path]) => existsSync(path))
    const folders = new Map(kept.map(([path, value]) => [path, toTrusted(value)]))
    folders.set(folder, { ...folders.get(folder), ...more })
    return `${JSON.stringify({ version: 1, folders: Object.fromEntries(folders) }, null, 2)}\n`
  })
}

function fileOf(env: Io['env']): string {
  return join(userConfigDirectory(env), 'trusted-folders.json')
}

function parse(text: string | undefined): JsonObject {
  try {
    const content: unknown = JSON.parse(text ?? '')
    const folders = isJsonObject(content) ? content['folders'] : undefined
    return isJsonObject(folders) ? folders : {}
  } catch {
    return {}
  }
}

function toTrusted(value: unknown): Trusted {
  const { config, data } = isJsonObject(value) ? value : {}
  return {
    ...(typeof config === 'string' ? { config } : {}),
    ...(typeof data === 'string' ? { data } : {}),
  }
}
