import { endLeftGroup } from '@sluice/agents'
import type { StartParts } from '@sluice/gateway'
import type { AgentConfig } from '@sluice/gateway/admin'
import { createSystemClock } from '@sluice/protocol'
import type { Io } from '../io.ts'
import { hostAgents } from './host-agents.ts'

/** What a gateway needs to run agents. */
export function serveAgents(
  configured: Readonly<Record<string, AgentConfig>> | undefined,
  env: Io['env'],
  cwd: string,
): StartParts {
  const clock = createSystemClock()
  return {
    agents: hostAgents(configured, env, cwd),
    endProcess: (process) => endLeftGroup(process, clock),
  }
}
