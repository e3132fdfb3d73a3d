import { readFile } from 'node:fs/promises'
import type { Clock, RunProcess } from '@sluice/protocol'
import { endGroup, isGroupAlive } from './end-group.ts'
import { groupMembers } from './group-members.ts'
import { markerVariable } from './spawn-group.ts'
import { readStartMark } from './start-mark.ts'

/** Ends what is left of a run whose host is gone. Answers whether there was something; others' processes are left alone. */
export async function endLeftGroup(left: RunProcess, clock: Clock): Promise<boolean> {
  if (!(await isGroupAlive(left.pid)) || !(await isSame(left))) return false
  await endGroup(left.pid, clock)
  return true
}

/** By its first process, or, once that is gone, by the mark that all of its processes carry. */
async function isSame({ pid, startMark, marker }: RunProcess): Promise<boolean> {
  const mark = await readStartMark(pid)
  if (mark !== undefined) return mark === startMark
  for (const member of (await groupMembers(pid)) ?? []) {
    const environment = await readFile(`/proc/${member}/environ`, 'utf8').catch(() => '')
    if (environment.split('\0').includes(`${markerVariable}=${marker}`)) return true
  }
  return false
}
