import type { AgentPresence, Clock } from '@sluice/protocol'
import type { HostedAgent } from './hosted-agent.ts'

/** A machine rarely changes, and looking starts a program. */
const freshMs = 30_000

/** What this machine has of each agent, looked up at most once in 30 seconds, until the signal aborts. */
export function createPresences(
  clock: Clock,
  signal: AbortSignal,
): (hosted: HostedAgent) => Promise<AgentPresence> {
  const known = new Map<HostedAgent, { readonly until: number; readonly found: Promise<AgentPresence> }>()
  return (hosted) => {
    const now = clock.monotonic()
    const before = known.get(hosted)
    if (before !== undefined && before.until > now) return before.found
    const found = hosted.agent.look(signal).catch((): AgentPresence => ({ isInstalled: false }))
    known.set(hosted, { until: now + freshMs, found })
    return found
  }
}
