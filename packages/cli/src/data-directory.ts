import { existsSync } from 'node:fs'
import { stat } from 'node:fs/promises'
import { posix, resolve, win32 } from 'node:path'
import type { Io } from './io.ts'
import { say } from './say.ts'

/** The default data directory: the platform's place for the state of programs. */
export function defaultDataDirectory(env: Io['env'], platform: NodeJS.Platform, home: string): string {
  if (platform === 'win32')
    return win32.join(env['LOCALAPPDATA'] ?? win32.join(home, 'AppData', 'Local'), 'sluice')
  if (platform === 'darwin') return posix.join(home, 'Library', 'Application Support', 'sluice')
  const state = env['XDG_STATE_HOME']
  // The XDG specification says to ignore relative paths.
  const base = state?.startsWith('/') === true ? state : posix.join(home, '.local', 'state')
  return posix.join(base, 'sluice')
}

/** The directory that `npm start` uses, if there is one in `cwd`. */
export function startDirectoryIn(cwd: string): string | undefined {
  const directory = resolve(cwd, '.sluice')
  return existsSync(directory) ? directory : undefined
}

/**
 * What others may do with a directory of secrets, and how to prevent it; undefined if they may do nothing.
 */
export async function othersMay(directory: string): Promise<string | undefined> {
  // Windows has no such modes: every directory looks open to all.
  if (process.platform === 'win32') return undefined
  const { mode } = await stat(directory)
  if ((mode & 0o077) === 0) return undefined
  const verb = (mode & 0o022) === 0 ? 'read' : 'change'
  return `Others may ${verb} ${directory}. To prevent that: chmod 700 ${directory}`
}

/** Warns if others have access. An existing directory keeps its mode, which may be intentional. */
export async function tellOfOthers(directory: string, io: Io): Promise<void> {
  const others = await othersMay(directory).catch(() => undefined)
  if (others !== undefined) say(io, others)
}
