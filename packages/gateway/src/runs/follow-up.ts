import { type RunRequest, SluiceError } from '@sluice/protocol'
import type { Caller } from '../auth/caller.ts'
import { type Gate, targetOf } from '../gate.ts'
import type { Session } from '../sessions/session.ts'
import { toInfo } from '../sessions/session-info.ts'
import type { HostedAgent } from './hosted-agent.ts'

const resumeKey = 'agent_api.session.resume.v1'
const forkKey = 'agent_api.session.fork.v1'

/**
 * The request to go on from the newest of `earlier` runs in its context; the same request where there is none, or where
 * it says itself what to go on from. A run that failed before the agent had a session of its own leaves nothing. Throws
 * `invalid_run` where the agent cannot go on.
 */
export async function withEarlierRun(
  gate: Gate,
  caller: Caller,
  { agent }: HostedAgent,
  request: RunRequest,
  earlier: readonly string[],
): Promise<RunRequest> {
  const { extensions = {} } = request
  if (resumeKey in extensions || forkKey in extensions) return request
  for (const id of earlier) {
    const session = await reach(gate, caller, id)
    const info = session?.head === undefined ? undefined : toInfo(session.head.info)
    const handle = info?.agent?.session
    if (info === undefined || (handle === undefined && info.outcome === 'failed')) continue
    if (handle === undefined || !agent.capabilities.includes(resumeKey))
      throw new SluiceError('invalid_run', {
        message: agent.capabilities.includes(resumeKey)
          ? 'The earlier run in this context left nothing to go on from. Ask in another context.'
          : 'This agent cannot go on from an earlier run. Ask in another context.',
        details: { path: '/context' },
      })
    const resume = { selector: 'id', id: handle }
    return { ...request, extensions: { ...extensions, [resumeKey]: resume } }
  }
  return request
}

/** Whoever goes on from a run learns what was said in it. */
async function reach(gate: Gate, caller: Caller, id: string): Promise<Session | undefined> {
  const session = await gate.directory.find(id).catch(() => undefined)
  return session !== undefined && caller.can('subscribe', targetOf(session)) ? session : undefined
}
