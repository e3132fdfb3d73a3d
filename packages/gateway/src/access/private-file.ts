import { randomBytes } from 'node:crypto'
import {
  closeSync,
  existsSync,
  fchmodSync,
  fchownSync,
  fsyncSync,
  linkSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { dirname } from 'node:path'
import { SluiceError } from '@sluice/protocol'

/**
 * Creates a file that only its owner can read, unless it exists; atomic, even if two processes try at once.
 */
export function createPrivateFile(path: string, text: string): void {
  if (existsSync(path)) return
  const draft = `${path}.${randomBytes(6).toString('hex')}`
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
    writeAndClose(openSync(draft, 'wx', 0o600), text)
    linkSync(draft, path)
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw failureOf(error, `${path} cannot be written`)
  } finally {
    rmSync(draft, { force: true })
  }
}

/**
 * Replaces a file with what `edit` returns for its text (undefined when the file does not exist). If this
 * creates the file, only its owner can read it. While one process edits a file, others get `data_in_use`.
 */
export function editPrivateFile(path: string, edit: (text: string | undefined) => string): void {
  const draft = `${path}.new`
  const file = openDraft(path, draft)
  let isOpen = true
  try {
    const text = edit(readIfThere(path))
    keepAccess(path, file)
    isOpen = false
    writeAndClose(file, text)
    renameSync(draft, path)
  } catch (error) {
    if (isOpen) closeSync(file)
    rmSync(draft, { force: true })
    throw failureOf(error, `${path} cannot be written`)
  }
}

/** The text of a file that holds a secret; throws `bad_config` when anyone but its owner may read it. */
export function readPrivateFile(path: string): string {
  // Windows has no such modes: every file looks readable by all.
  if (process.platform !== 'win32' && (statSync(path).mode & 0o077) !== 0) {
    throw new SluiceError('bad_config', {
      message: `${path} holds a secret and others may read it. Remove it to get a new one, or: chmod 600 ${path}`,
    })
  }
  return readFileSync(path, 'utf8')
}

/** The text of a file; undefined when it does not exist. */
export function readIfThere(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined
    throw failureOf(error, `${path} cannot be read`)
  }
}

/** The draft is also the lock: it exists while the file is being edited. */
function openDraft(path: string, draft: string): number {
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
    return openSync(draft, 'wx', 0o600)
  } catch (cause) {
    if (codeOf(cause) !== 'EEXIST') throw failureOf(cause, `${path} cannot be written`)
    const message = `${path} is being changed by another command. If none is running, remove ${draft}.`
    throw new SluiceError('data_in_use', { message, cause })
  }
}

/** If root runs the command, the file must still belong to the user that the gateway runs as. */
function keepAccess(path: string, file: number): void {
  const before = statSync(path, { throwIfNoEntry: false })
  if (before === undefined) return
  fchmodSync(file, before.mode & 0o777)
  if (process.getuid?.() === 0) fchownSync(file, before.uid, before.gid)
}

function writeAndClose(file: number, text: string): void {
  try {
    writeFileSync(file, text)
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
}

function failureOf(cause: unknown, what: string): SluiceError {
  if (cause instanceof SluiceError) return cause
  return new SluiceError('bad_config', { message: `${what} (${codeOf(cause) ?? 'unknown'}).`, cause })
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined
}
