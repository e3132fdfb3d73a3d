import { readdir } from 'node:fs/promises'
import { readStat } from './start-mark.ts'

/** The live processes of a group, on Linux; undefined if the system does not list them. */
export async function groupMembers(group: number): Promise<readonly number[] | undefined> {
  const names = await readdir('/proc').catch(() => undefined)
  if (names === undefined) return undefined
  const pids = names.filter((name) => /^\d+$/.test(name)).map(Number)
  const stats = await Promise.all(pids.map((pid) => readStat(pid)))
  return pids.filter((_, index) => stats[index]?.group === group)
}
