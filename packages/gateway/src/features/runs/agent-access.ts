import { SluiceError } from '@sluice/protocol'
import type { Caller } from '../../access/caller.ts'
import type { HostedAgent } from './hosted-agent.ts'

/** What grants are checked against before the session exists. */
export interface WantedRun {
  readonly id: string
  readonly labels: Readonly<Record<string, string>>
}

/** Whether a caller may run an agent. An open agent also runs for callers without a credential. */
export function mayRun(
  caller: Caller,
  name: string,
  { isOpen }: HostedAgent,
  wanted: WantedRun = { id: '', labels: {} },
): boolean {
  const isAnonymous = caller.via === 'anonymous'
  return (isOpen && isAnonymous) || caller.can('run', { ...wanted, owner: caller.subject, agent: name })
}

/**
 * Whether a caller may learn that the agent exists: if it may run the agent, or read the agent's sessions.
 */
export function seesAgent(caller: Caller, name: string, hosted: HostedAgent): boolean {
  const canRead = caller.can('subscribe', { id: '', labels: {}, agent: name })
  return canRead || mayRun(caller, name, hosted)
}

/** Throws `forbidden`, or `unknown_agent` if the caller may not learn that the agent exists. */
export function assertMayRun(caller: Caller, name: string, hosted: HostedAgent, wanted: WantedRun): void {
  if (mayRun(caller, name, hosted, wanted)) return
  throw new SluiceError(seesAgent(caller, name, hosted) ? 'forbidden' : 'unknown_agent')
}
