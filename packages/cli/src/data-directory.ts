import { existsSync } from 'node:fs'
import { posix, resolve, win32 } from 'node:path'
import type { Io } from './io.ts'

/** Where data is kept when nothing says otherwise: the place that the platform has for the state of programs. */
export function defaultDataDirectory(env: Io['env'], platform: NodeJS.Platform, home: string): string {
  if (platform === 'win32')
    return win32.join(env['LOCALAPPDATA'] ?? win32.join(home, 'AppData', 'Local'), 'sluice')
  if (platform === 'darwin') return posix.join(home, 'Library', 'Application Support', 'sluice')
  const state = env['XDG_STATE_HOME']
  // The XDG specification has relative paths ignored.
  const base = state?.startsWith('/') === true ? state : posix.join(home, '.local', 'state')
  return posix.join(base, 'sluice')
}

/** The directory that `npm start` uses, if there is one in `cwd`. */
export function startDirectoryIn(cwd: string): string | undefined {
  const directory = resolve(cwd, '.sluice')
  return existsSync(directory) ? directory : undefined
}
