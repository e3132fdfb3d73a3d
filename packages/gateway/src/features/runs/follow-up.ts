import { isJsonObject, type RunRequest, SluiceError } from '@sluice/protocol'
import type { Caller } from '../../access/caller.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import type { Session } from '../../kernel/sessions/session.ts'
import { toInfo } from '../../kernel/sessions/session-info.ts'
import { targetOf } from '../../kernel/sessions/session-target.ts'
import type { Asking } from './agent-access.ts'
import type { HostedAgent } from './hosted-agent.ts'
import type { RunGroups } from './run-groups.ts'

const resumeKey = 'agent_api.session.resume.v1'
const forkKey = 'agent_api.session.fork.v1'

/**
 * Refuses to continue a session of the agent itself, unless a run has recorded it that the caller may read
 * and continue. A session that no run recorded may be anyone's; only the configuration of the agent allows
 * those. Throws `run_not_permitted`, without revealing which of the two it is.
 */
export async function assertMayResume(
  kernel: Kernel,
  { caller, name, hosted }: Asking,
  { request: { extensions = {} }, handles }: { readonly request: RunRequest; readonly handles: RunGroups },
): Promise<void> {
  for (const key of [resumeKey, forkKey]) {
    const value = extensions[key]
    if (value === undefined) continue
    const handle = isJsonObject(value) && value['selector'] === 'id' ? value['id'] : undefined
    const ids = typeof handle === 'string' ? await handles.sessionsOf(hosted.agent.kind, handle) : []
    const found = await Promise.all(ids.map((id) => find(kernel, id)))
    const recorded = found.filter((session) => session !== undefined)
    if (recorded.some((session) => mayRead(caller, session) && mayGoOn(caller, hosted, session))) continue
    if (hosted.requestsMayRaisePermissions && recorded.length === 0) continue
    throw new SluiceError('run_not_permitted', {
      message: `${key} may name only a session of the agent that a run recorded here, if the credential may read that run and have it run. Only agents.${name}.requestsMayRaisePermissions lets a request take up others.`,
      details: { path: `/extensions/${key}`, ceiling: 'recorded', setting: 'requestsMayRaisePermissions' },
    })
  }
}

/**
 * The request to continue the newest of the `earlier` runs in its context; the same request if there is none,
 * or if the request itself says what to continue. Skips runs that failed before the agent had a session.
 * Throws `invalid_run` if the agent cannot continue, and `run_not_permitted` if the caller may only read the
 * run.
 */
export async function withEarlierRun(
  kernel: Kernel,
  { caller, hosted }: Asking,
  { request, earlier }: { readonly request: RunRequest; readonly earlier: readonly string[] },
): Promise<RunRequest> {
  const { capabilities } = hosted.agent
  const { extensions = {} } = request
  if (resumeKey in extensions || forkKey in extensions) return request
  for (const id of earlier) {
    const session = await find(kernel, id)
    if (session?.head === undefined || !mayRead(caller, session)) continue
    const { agent, outcome } = toInfo(session.head.info)
    const handle = agent?.session
    if (handle === undefined && outcome === 'failed') continue
    if (!mayGoOn(caller, hosted, session))
      throw new SluiceError('run_not_permitted', {
        message:
          'The credential may read the earlier run in this context, but not go on from it. Ask in another context.',
        details: { path: '/context' },
      })
    if (handle === undefined || !capabilities.includes(resumeKey))
      throw new SluiceError('invalid_run', {
        message: capabilities.includes(resumeKey)
          ? 'The earlier run in this context left nothing to go on from. Ask in another context.'
          : 'This agent cannot go on from an earlier run. Ask in another context.',
        details: { path: '/context' },
      })
    const resume = { selector: 'id', id: handle }
    return { ...request, extensions: { ...extensions, [resumeKey]: resume } }
  }
  return request
}

/** Also undefined for a deleted session. */
function find({ directory }: Kernel, id: string): Promise<Session | undefined> {
  return directory.find(id).catch(() => undefined)
}

/** Continuing a run reveals what was said in it. */
function mayRead(caller: Caller, session: Session): boolean {
  return caller.can('subscribe', targetOf(session))
}

/** Continuing a run adds to it: further requests stay in the agent's own session. */
function mayGoOn(caller: Caller, { isOpen }: HostedAgent, session: Session): boolean {
  return (isOpen && caller.via === 'anonymous') || caller.can('run', targetOf(session))
}
