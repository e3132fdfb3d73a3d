import type { Clock, Timer } from '@sluice/protocol'
import { groupMembers } from './group-members.ts'

/** How a process group is asked to end: each signal, and the time until the next. SIGKILL comes last. */
export type Escalation = readonly { readonly signal: NodeJS.Signals; readonly graceMs: number }[]

export const usualEscalation: Escalation = [{ signal: 'SIGTERM', graceMs: 5000 }]

/** Whether any process of the group is left. Zombies do not count, where the system shows them. */
export async function isGroupAlive(pid: number): Promise<boolean> {
  if (!signalGroup(pid, 0)) return false
  const members = await groupMembers(pid)
  return members === undefined || members.length > 0
}

/** Sends a signal to all processes of a group; false when there are none. */
export function signalGroup(pid: number, signal: NodeJS.Signals | 0): boolean {
  try {
    process.kill(-pid, signal)
    return true
  } catch (error) {
    // EPERM: a process exists, but belongs to another user.
    return error instanceof Error && 'code' in error && error.code === 'EPERM'
  }
}

/** How often to check whether a group has ended. */
const lookEveryMs = 20
/**
 * Where the system does not show which processes are zombies, a killed group counts as ended after this time.
 */
const killedMs = 2000

/** Ends a group: sends the signals in turn, then kills the rest. Resolves when no process is left. */
export function endGroup(pid: number, clock: Clock, escalation: Escalation = usualEscalation): Promise<void> {
  return new Promise((resolve) => {
    const steps = [...escalation]
    let next: Timer | undefined
    let looking: Timer | undefined
    let isDone = false
    const done = (): void => {
      isDone = true
      next?.clear()
      looking?.clear()
      resolve()
    }
    const escalate = (): void => {
      const step = steps.shift()
      signalGroup(pid, step?.signal ?? 'SIGKILL')
      next = step === undefined ? clock.after(killedMs, done) : clock.after(step.graceMs, escalate)
    }
    const look = async (): Promise<void> => {
      if ((await isGroupAlive(pid)) && !isDone) looking = clock.after(lookEveryMs, () => void look())
      else done()
    }
    escalate()
    void look()
  })
}
