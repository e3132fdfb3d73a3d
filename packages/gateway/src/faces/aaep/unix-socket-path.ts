import { mkdir, stat, unlink } from 'node:fs/promises'
import { connect } from 'node:net'
import { homedir, tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { SluiceError } from '@sluice/protocol'

/** The facts about a process that decide where its socket is. */
export interface SocketPlace {
  readonly env: Readonly<Record<string, string | undefined>>
  readonly platform: NodeJS.Platform
  readonly home: string
  readonly temporary: string
  readonly uid: number
}

export function thisPlace(): SocketPlace {
  return {
    env: process.env,
    platform: process.platform,
    home: homedir(),
    temporary: tmpdir(),
    uid: process.getuid?.() ?? 0,
  }
}

/** The path of the socket. For `auto`, the place where clients look for it (AAEP, Unix socket binding). */
export function toSocketPath(setting: string, { env, platform, home, temporary, uid }: SocketPlace): string {
  if (setting !== 'auto') return setting
  const { XDG_RUNTIME_DIR: runtime } = env
  if (platform === 'darwin') return join(home, 'Library', 'Application Support', 'AAEP', 'sluice.sock')
  if (runtime?.startsWith('/') === true) return join(runtime, 'aaep', 'sluice.sock')
  return join(temporary, `aaep-${uid}`, 'sluice.sock')
}

/**
 * Prepares the path for a socket: creates its directory and removes the socket of a dead process. If this
 * creates the directory, only its owner can enter it. Throws `address_in_use` when another process listens
 * there, and `bad_config` when something else has the path, or when other users could put their own socket
 * there.
 */
export async function clearSocketPath(path: string): Promise<void> {
  const directory = dirname(path)
  await mkdir(directory, { recursive: true, mode: 0o700 })
  const { mode, uid } = await stat(directory)
  const self = process.getuid?.() ?? uid
  // With the sticky bit, as in the directory for temporary files, others cannot remove files that they do not
  // own.
  const isShared = (mode & 0o022) !== 0 && (mode & 0o1000) === 0
  if (isShared || (uid !== self && uid !== 0))
    throw new SluiceError('bad_config', {
      message: `Others may write to ${directory}: they could put a socket of their own there.`,
    })
  const found = await stat(path).catch(() => undefined)
  if (found === undefined) return
  if (!found.isSocket())
    throw new SluiceError('bad_config', { message: `${path} is there already, and is no socket.` })
  if (await isListenedTo(path)) throw inUse(path)
  await unlink(path)
}

export function inUse(path: string): SluiceError {
  return new SluiceError('address_in_use', {
    message: `Another process listens on ${path}.`,
    details: { path },
  })
}

function isListenedTo(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(path)
    const settle = (isLive: boolean): void => {
      socket.destroy()
      resolve(isLive)
    }
    socket.once('connect', () => settle(true))
    // Only a refused connection proves that nobody listens.
    socket.once('error', (error: Error & { readonly code?: string }) => settle(error.code !== 'ECONNREFUSED'))
  })
}
