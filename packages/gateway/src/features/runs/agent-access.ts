import { SluiceError } from '@sluice/protocol'
import type { Caller } from '../../access/caller.ts'
import type { HostedAgent } from './hosted-agent.ts'

/** A caller that requests a run, and the agent. */
export interface Asking {
  readonly caller: Caller
  /** The name of the agent in requests. */
  readonly name: string
  readonly hosted: HostedAgent
}

/** What grants are checked against before the session exists. */
export interface WantedRun {
  readonly id: string
  readonly labels: Readonly<Record<string, string>>
}

/** Whether a caller may run an agent. An open agent also runs for callers without a credential. */
export function mayRun(
  { caller, name, hosted: { isOpen } }: Asking,
  wanted: WantedRun = { id: '', labels: {} },
): boolean {
  const isAnonymous = caller.via === 'anonymous'
  return (isOpen && isAnonymous) || caller.can('run', { ...wanted, owner: caller.subject, agent: name })
}

/**
 * Whether a caller may learn that the agent exists: if it may run the agent, or read the agent's sessions.
 */
export function seesAgent(asking: Asking): boolean {
  const { caller, name } = asking
  const canRead = caller.can('subscribe', { id: '', labels: {}, agent: name })
  return canRead || mayRun(asking)
}

/** Throws `forbidden`, or `unknown_agent` if the caller may not learn that the agent exists. */
export function assertMayRun(asking: Asking, wanted: WantedRun): void {
  if (mayRun(asking, wanted)) return
  throw new SluiceError(seesAgent(asking) ? 'forbidden' : 'unknown_agent')
}
