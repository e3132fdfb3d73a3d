import { endLeftGroup } from '@sluice/agents'
import type { AgentConfig } from '@sluice/gateway/admin'
import type { Io } from '../io.ts'
import type { StartOptions } from '../start-gateway.ts'
import { createSystemClock } from '../system-clock.ts'
import { hostAgents } from './host-agents.ts'

/** What a gateway needs to run agents. */
export function serveAgents(
  configured: Readonly<Record<string, AgentConfig>> | undefined,
  env: Io['env'],
  cwd: string,
): StartOptions {
  const clock = createSystemClock()
  return {
    agents: hostAgents(configured, env, cwd),
    endProcess: (process) => endLeftGroup(process, clock),
  }
}
