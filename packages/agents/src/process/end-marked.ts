import type { Clock } from '@sluice/protocol'
import type { Escalation } from './end-group.ts'
import { markedProcesses } from './marked-processes.ts'

/** How often to check whether they have ended. */
const lookEveryMs = 50
/** How long a killed process may take to end. */
const killedMs = 2000

/**
 * Ends the processes with this mark: those of a run that have left its process group, such as a shell that an
 * agent starts in its own session. Resolves to whether there were any.
 */
export async function endMarked(marker: string, clock: Clock, escalation: Escalation): Promise<boolean> {
  const wasThere = (await markedProcesses(marker)).length > 0
  if (!wasThere) return false
  for (const { signal, graceMs } of [...escalation, { signal: 'SIGKILL', graceMs: killedMs } as const])
    if (await endWith(marker, clock, { signal, until: clock.monotonic() + graceMs })) break
  return true
}

/** Sends a signal; resolves to whether no process is left before `until`. */
async function endWith(
  marker: string,
  clock: Clock,
  { signal, until }: { readonly signal: NodeJS.Signals; readonly until: number },
): Promise<boolean> {
  let told: readonly number[] = []
  for (;;) {
    const left = await markedProcesses(marker)
    if (left.length === 0) return true
    for (const pid of left) if (!told.includes(pid)) send(pid, signal)
    told = left
    if (clock.monotonic() >= until) return false
    await new Promise<void>((resolve) => void clock.after(lookEveryMs, resolve))
  }
}

function send(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal)
  } catch {
    // It has ended in the meantime.
  }
}
