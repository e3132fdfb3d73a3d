import { randomUUID } from 'node:crypto'
import { link, readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { type Clock, SluiceError } from '@sluice/protocol'
import { privateFileMode } from './private-files.ts'
import { toStorageError } from './storage-error.ts'

const lockFile = 'owner.lock'
const refreshMs = 10_000
const foreignStaleMs = 60_000
/** A live owner touches the file within this time. */
const touchedWithinMs = refreshMs + 5_000

interface Owner {
  readonly pid: number
  /** The start time of the process, in the units of the system; distinguishes processes with the same pid. */
  readonly startTime: string | undefined
  readonly host: string
  readonly nonce: string
}

/** The right to write in a data directory. */
export interface OwnerLock {
  release(): Promise<void>
}

/**
 * Makes this process the owner of a data directory. Rejects with `data_in_use` (details: pid) while another owner is
 * alive. An owner on this host is alive while its process is. One on another host is alive while it touches the lock
 * file: if the file looks older than a minute, this waits 15 seconds for it to be touched.
 */
export async function lockDirectory(directory: string, clock: Clock): Promise<OwnerLock> {
  const path = join(directory, lockFile)
  const owner: Owner = {
    pid: process.pid,
    startTime: (await readProcess(process.pid))?.startTime,
    host: hostname(),
    nonce: randomUUID(),
  }
  const draft = `${path}.${owner.nonce}`
  try {
    await writeFile(draft, JSON.stringify(owner), { flush: true, mode: privateFileMode })
    while (!(await claim(path, draft, clock))) {
      // The previous owner has exited in the meantime.
    }
  } catch (error) {
    throw toStorageError(error)
  } finally {
    await rm(draft, { force: true })
  }

  let timer = clock.after(refreshMs, refresh)
  function refresh() {
    const seconds = clock.now() / 1000
    utimes(path, seconds, seconds).catch(() => {}) // only other hosts read it
    timer = clock.after(refreshMs, refresh)
  }
  return {
    async release() {
      timer.clear()
      if ((await readOwner(path))?.nonce === owner.nonce) await rm(path, { force: true })
    },
  }
}

async function claim(path: string, draft: string, clock: Clock): Promise<boolean> {
  if (await linked(draft, path)) return true
  const owner = await readOwner(path)
  if (owner === undefined) return false
  if (await isAlive(owner, path, clock)) {
    throw new SluiceError('data_in_use', { details: { pid: owner.pid, host: owner.host } })
  }
  // Only one process may replace a dead owner: the first to link, and only while the lock still names the dead one.
  const takeover = `${path}.after-${owner.nonce}`
  if (!(await linked(draft, takeover))) {
    const rival = await readOwner(takeover)
    if (rival !== undefined && !(await isAlive(rival, takeover, clock))) await rm(takeover, { force: true })
    return false
  }
  try {
    if ((await readOwner(path))?.nonce !== owner.nonce) return false
    await rename(draft, path)
    return true
  } finally {
    await rm(takeover, { force: true })
  }
}

async function linked(from: string, to: string): Promise<boolean> {
  try {
    await link(from, to)
    return true
  } catch (error) {
    if (hasCode(error, 'EEXIST')) return false
    throw error
  }
}

async function readOwner(path: string): Promise<Owner | undefined> {
  try {
    const value: unknown = JSON.parse(await readFile(path, 'utf8'))
    if (isOwner(value)) return value
    throw new SyntaxError('not an owner')
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return undefined
    if (error instanceof SyntaxError)
      return { pid: 0, startTime: undefined, host: hostname(), nonce: 'unreadable' }
    throw error
  }
}

function isOwner(value: unknown): value is Owner {
  if (typeof value !== 'object' || value === null) return false
  return 'pid' in value && typeof value.pid === 'number' && 'host' in value && 'nonce' in value
}

async function isAlive({ pid, startTime, host }: Owner, path: string, clock: Clock): Promise<boolean> {
  if (host !== hostname()) return isTouched(path, clock)
  if (pid <= 0) return false
  const found = await readProcess(pid)
  if (found !== undefined) return !found.dead && (startTime === undefined || found.startTime === startTime)
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return hasCode(error, 'EPERM')
  }
}

/** Whether another host touches the file. The clock of either host may have been set, so its age alone proves nothing. */
async function isTouched(path: string, clock: Clock): Promise<boolean> {
  const { mtimeMs } = await stat(path)
  if (Math.abs(clock.now() - mtimeMs) < foreignStaleMs) return true
  const hold = setInterval(() => {}, touchedWithinMs) // the clock's timers may not keep the process alive
  await new Promise<void>((resolve) => void clock.after(touchedWithinMs, resolve))
  clearInterval(hold)
  return (await stat(path)).mtimeMs !== mtimeMs
}

/** What /proc says about a process; undefined without /proc or without the process. */
async function readProcess(
  pid: number,
): Promise<{ startTime: string | undefined; dead: boolean } | undefined> {
  try {
    const text = await readFile(`/proc/${pid}/stat`, 'utf8')
    // The second field is the command in parentheses, which may itself contain parentheses and spaces.
    const [state, ...rest] = text.slice(text.lastIndexOf(')') + 2).split(' ')
    return { startTime: rest[18], dead: state === 'Z' || state === 'X' }
  } catch {
    return undefined
  }
}

function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code
}
