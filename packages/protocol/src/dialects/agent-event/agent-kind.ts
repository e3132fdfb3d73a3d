import type { AgentIdentity } from '../../events.ts'
import { agentKindPattern } from './wire.ts'

const pattern = new RegExp(agentKindPattern)
const maxMadeLength = 64

/**
 * The agent's kind if it is strictly valid, otherwise one made from its kind, id or name; `unknown` without
 * any.
 */
export function toAgentKind(agent: AgentIdentity | undefined): string {
  if (agent === undefined) return 'unknown'
  if (agent.kind !== undefined && pattern.test(agent.kind)) return agent.kind
  for (const name of [agent.kind, agent.id, agent.name]) {
    const kind = fromName(name ?? '')
    if (kind !== '') return kind
  }
  return 'unknown'
}

function fromName(name: string): string {
  const words = name
    .slice(0, maxMadeLength)
    .toLowerCase()
    .match(/[a-z0-9]+/g)
  if (words === null) return ''
  const kind = words.join('_')
  return /^[a-z]/.test(kind) ? kind : `agent_${kind}`
}
