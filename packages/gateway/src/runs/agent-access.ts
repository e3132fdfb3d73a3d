import { SluiceError } from '@sluice/protocol'
import type { Caller } from '../auth/caller.ts'
import type { HostedAgent } from './hosted-agent.ts'

/** What grants look at before there is a session. */
export interface WantedRun {
  readonly id: string
  readonly labels: Readonly<Record<string, string>>
}

/** Whether a caller may have an agent run; one that is open runs for all who reach a gateway on loopback. */
export function mayRun(
  caller: Caller,
  name: string,
  { isOpen }: HostedAgent,
  isLoopback: boolean,
  wanted: WantedRun = { id: '', labels: {} },
): boolean {
  return (isOpen && isLoopback) || caller.can('run', { ...wanted, owner: caller.subject, agent: name })
}

/** Whether a caller is told that there is such an agent: who may have it run, or may read what it says. */
export function seesAgent(caller: Caller, name: string, hosted: HostedAgent, isLoopback: boolean): boolean {
  const canRead = caller.can('subscribe', { id: '', labels: {}, agent: name })
  return canRead || mayRun(caller, name, hosted, isLoopback)
}

/** Throws `forbidden`, or `unknown_agent` for one who is not told of it. */
export function assertMayRun(
  caller: Caller,
  name: string,
  hosted: HostedAgent,
  isLoopback: boolean,
  wanted: WantedRun,
): void {
  if (mayRun(caller, name, hosted, isLoopback, wanted)) return
  throw new SluiceError(seesAgent(caller, name, hosted, isLoopback) ? 'forbidden' : 'unknown_agent')
}
