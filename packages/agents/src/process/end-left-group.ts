import type { Clock, RunProcess } from '@sluice/protocol'
import { endGroup, isGroupAlive, usualEscalation } from './end-group.ts'
import { endMarked } from './end-marked.ts'
import { groupMembers } from './group-members.ts'
import { markedProcesses } from './marked-processes.ts'
import { readStartMark } from './start-mark.ts'

/**
 * Ends the processes left over from a run whose host is gone, and no others. Resolves to whether there were
 * any.
 */
export async function endLeftGroup(
  left: RunProcess,
  clock: Clock,
  escalation = usualEscalation,
): Promise<boolean> {
  const isLeft = (await isGroupAlive(left.pid)) && (await isSame(left))
  if (isLeft) await endGroup(left.pid, clock, escalation)
  return (await endMarked(left.marker, clock, escalation)) || isLeft
}

/**
 * Identifies a run by its first process or, once that is gone, by the mark that all of its processes carry.
 */
async function isSame({ pid, startMark, marker }: RunProcess): Promise<boolean> {
  const mark = await readStartMark(pid)
  if (mark !== undefined) return mark === startMark
  const members = (await groupMembers(pid)) ?? []
  const marked = await markedProcesses(marker)
  return members.some((member) => marked.includes(member))
}
