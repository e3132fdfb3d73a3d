import type { AgentIdentity, Notice } from '@sluice/protocol'

const maxSessionBytes = 1024

/**
 * What is told when an agent names its own session. An id that is too long is not one, and is told of without it
 * (Unified Agent API, session handle facet); one that is blank was not given.
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
