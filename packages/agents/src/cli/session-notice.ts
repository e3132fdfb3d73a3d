import type { AgentIdentity, Notice } from '@sluice/protocol'

const maxSessionBytes = 1024

/**
 * The notice that an agent has named its own session. It omits an id that is too long, with a warning
 * (Unified Agent API, session handle facet), and a blank one.
 */
export function sessionNotice(agent: AgentIdentity): Notice {
  const { session = '', ...others } = agent
  const isOversize = Buffer.byteLength(session) > maxSessionBytes
  const isKnown = session.trim() !== '' && !isOversize
  return {
    kind: 'notice',
    level: isOversize ? 'warning' : 'info',
    code: 'agent_session',
    text: isOversize ? `session handle omitted: id exceeds ${maxSessionBytes} bytes` : 'session started',
    meta: { channel: 'status', agent: isKnown ? agent : others },
  }
}
