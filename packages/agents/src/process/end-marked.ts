import type { Clock } from '@sluice/protocol'
import type { Escalation } from './end-group.ts'
import { markedProcesses } from './marked-processes.ts'

/** How often it is looked whether they have ended. */
const lookEveryMs = 50
/** How long a process that was killed may take to go. */
const killedMs = 2000

/**
 * Ends the processes with this mark: those of a run that have left its group, as a shell does that an agent starts in
 * a session of its own. Answers whether there were any.
 */
export async function endMarked(marker: string, clock: Clock, escalation: Escalation): Promise<boolean> {
  const wasThere = (await markedProcesses(marker)).length > 0
  if (!wasThere) return false
  for (const { signal, graceMs } of [...escalation, { signal: 'SIGKILL', graceMs: killedMs } as const])
    if (await endWith(signal, clock.now() + graceMs, marker, clock)) break
  return true
}

/** Whether none is left before this time. */
async function endWith(
  signal: NodeJS.Signals,
  until: number,
  marker: string,
  clock: Clock,
): Promise<boolean> {
  let told: readonly number[] = []
  for (;;) {
    const left = await markedProcesses(marker)
    if (left.length === 0) return true
    for (const pid of left) if (!told.includes(pid)) send(pid, signal)
    told = left
    if (clock.now() >= until) return false
    await new Promise<void>((resolve) => void clock.after(lookEveryMs, resolve))
  }
}

function send(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal)
  } catch {
    // It has gone in between.
  }
}
