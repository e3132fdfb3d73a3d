import { homedir } from 'node:os'
import { posix, win32 } from 'node:path'
import type { Io } from '../io.ts'

/** Where the user's own settings are kept, for all folders. */
export function userConfigDirectory(env: Io['env'], platform: NodeJS.Platform = process.platform): string {
  const home = env['HOME'] ?? homedir()
  if (platform === 'win32')
    return win32.join(env['APPDATA'] ?? win32.join(home, 'AppData', 'Roaming'), 'sluice')
  const config = env['XDG_CONFIG_HOME']
  // The XDG specification says to ignore relative paths.
  return posix.join(config?.startsWith('/') === true ? config : posix.join(home, '.config'), 'sluice')
}
