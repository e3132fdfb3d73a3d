import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { promisify } from 'node:util'

const run = promisify(execFile)

/**
 * When a process started, in the system's own format. Together with the pid it identifies one process for as
 * long as the machine is up. Undefined if there is no such process.
 */
export async function readStartMark(pid: number, platform = process.platform): Promise<string | undefined> {
  if (platform !== 'linux') return readByPs(pid)
  const [stat, boot] = await Promise.all([readStat(pid), readBootId()])
  return stat === undefined ? undefined : `${boot} ${stat.startTicks}`
}

/**
 * Reads the group and the start of a process on Linux; undefined if there is no such process, or only a
 * zombie.
 */
export async function readStat(
  pid: number,
): Promise<{ readonly group: number; readonly startTicks: string } | undefined> {
  const text = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => undefined)
  // The name in parentheses may contain anything, so fields are counted after the last parenthesis: proc(5).
  const fields = text?.slice(text.lastIndexOf(')') + 2).split(' ')
  const [state, , group] = fields ?? []
  const startTicks = fields?.[19]
  if (state === undefined || group === undefined || startTicks === undefined || 'ZX'.includes(state))
    return undefined
  return { group: Number(group), startTicks }
}

async function readBootId(): Promise<string> {
  return (await readFile('/proc/sys/kernel/random/boot_id', 'utf8').catch(() => '')).trim()
}

async function readByPs(pid: number): Promise<string | undefined> {
  try {
    const { stdout } = await run('ps', ['-o', 'lstart=', '-p', String(pid)])
    return stdout.trim() === '' ? undefined : stdout.trim()
  } catch {
    return undefined
  }
}
