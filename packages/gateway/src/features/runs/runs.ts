import { createHash, randomBytes } from 'node:crypto'
import {
  type AgentPresence,
  omitUndefined,
  type RunProcess,
  type RunRequest,
  SluiceError,
  type Source,
} from '@sluice/protocol'
import type { Caller } from '../../access/caller.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import { hideDeletion } from '../../kernel/sessions/hide-deletion.ts'
import type { Session } from '../../kernel/sessions/session.ts'
import { runWriter, type SessionInfo, toInfo } from '../../kernel/sessions/session-info.ts'
import { type Asking, assertMayRun } from './agent-access.ts'
import { assertMayResume, withEarlierRun } from './follow-up.ts'
import type { HostedAgent } from './hosted-agent.ts'
import { type HostedRun, hostRun } from './hosted-run.ts'
import { createPresences } from './presences.ts'
import { recoverRuns } from './recover-runs.ts'
import { failedBecause, startEvents } from './run-events.ts'
import { createRunGroups } from './run-groups.ts'
import { createRunQueue, type RunQueue } from './run-queue.ts'
import { type AskedRun, toRunRequest } from './run-request.ts'
import { createRunStore } from './run-store.ts'

export interface RunCount {
  readonly active: number
  readonly queued: number
}

/** The runs of the agents that a gateway offers. */
export interface Runs {
  /** Ends what a previous gateway left unfinished. Must come before all other calls. */
  start(): Promise<void>
  /**
   * Accepts no further runs and ends the active ones, after `drainMs` by force. Resolves when their ends are
   * durable; an end that takes even longer is left to the next start.
   */
  stop(): Promise<void>
  /** The agent for requests that name none: the demo, or else the first; undefined without agents. */
  readonly usual: string | undefined
  /** What this machine has of an agent, at most a short while ago. */
  look(hosted: HostedAgent): Promise<AgentPresence>
  /** Of one agent, or of all. */
  count(name?: string): RunCount
  /**
   * Starts a run, or puts it into the queue of its agent; its session is durable when this resolves. A
   * repeated idempotency key returns the run that it first created. Throws `unknown_agent`, `forbidden`,
   * `invalid_run`, `run_not_permitted`, `unsupported_capability`, `agent_busy`, `session_exists`, `closed`,
   * and the errors of storing.
   */
  begin(caller: Caller, order: RunOrder, asked: AskedRun): Promise<BegunRun>
}

/** The session of a run that begins. */
interface NewRun {
  readonly id: string
  readonly info: Partial<SessionInfo> & { readonly context: string }
}

/** Which agent is to run, and the idempotency key of the request, if it has one. */
interface RunOrder {
  readonly name: string
  readonly key?: string | undefined
}

export interface RunsParts {
  /** The agents that the gateway runs, by their names in requests. */
  readonly agents: ReadonlyMap<string, HostedAgent>
  /** Kills processes left over from a crashed gateway. Resolves to whether there were any. */
  endProcess?(process: RunProcess): Promise<boolean>
}

export interface BegunRun {
  readonly session: Session
  readonly isNew: boolean
}

/** How long a killed run may take until its end is durable. */
const killedMs = 2000

const stoppedEnding = failedBecause('gateway_stopped', 'The gateway was stopped while the agent ran.')

export function createRuns(kernel: Kernel, parts: RunsParts): Runs {
  const { log, clock, directory } = kernel
  const { agents } = parts
  const turns = new Map<string, RunQueue>(
    [...agents].map(([name, { concurrency, queue }]) => [name, createRunQueue(concurrency, queue)]),
  )
  const store = createRunStore(log, clock)
  /** By agent and context. */
  const conversations = createRunGroups(log, clock, 'ctx')
  /** By the kind of an agent and its own session. */
  const handles = createRunGroups(log, clock, 'hdl')
  const live = new Map<string, HostedRun>()
  const beginning = new Map<string, Promise<unknown>>()
  /** Contexts with an unfinished run: an agent continues one run at a time. */
  const busy = new Set<string>()
  const stopping = new AbortController()
  kernel.onCommit((session, entries) => live.get(session)?.committed(entries))
  directory.watch((change) => {
    if (change.type === 'deleted') live.get(change.id)?.stop('over')
  })

  const assertFree = (context: string): void => {
    if (busy.has(context))
      throw new SluiceError('agent_busy', {
        message: 'The agent has a run under way in this context. It can be sent a message, or be waited for.',
      })
  }

  /** Makes the session of a run durable, and starts the run. */
  const open = async (
    { caller, name, hosted }: Asking,
    { id, info }: NewRun,
    request: RunRequest,
  ): Promise<BegunRun> => {
    const place = `${name}\0${info.context}`
    assertFree(place)
    const turn = (turns.get(name) ?? createRunQueue(0, 0)).take()
    busy.add(place)
    const free = (): void => {
      turn.end()
      busy.delete(place)
    }
    const source: Source = {
      dialect: 'sluice',
      producer: name,
      ...(caller.via === 'anonymous' ? {} : { subject: caller.subject }),
    }
    const wasQueued = turn.isWaiting
    try {
      // First, so that a crash at any later point leaves a mark by which the session is found.
      await store.keep({ session: id, agent: name })
      const session = await directory.open(id)
      const created = await session.write((writer) => writer.create(info))
      if (created === undefined) throw new SluiceError('session_exists')
      const agent = { id: name, kind: hosted.agent.kind, name: hosted.title }
      const started = session.write((writer) =>
        writer.make(() => startEvents(request.prompt, agent, { isQueued: wasQueued }), {
          direction: 'event',
          source,
        }),
      )
      const stored = Promise.all([started, conversations.add(id, name, info.context)])
      const run = hostRun({
        kernel,
        store,
        handles,
        name,
        hosted,
        session,
        request,
        turn,
        wasQueued,
        stored,
        source,
        stopping: stopping.signal,
      })
      live.set(id, run)
      void run.done.then(() => {
        live.delete(id)
        free()
      })
      if (stopping.signal.aborted) run.stop(stoppedEnding)
      await stored
      return { session, isNew: true }
    } catch (error) {
      if (live.has(id)) throw error
      free()
      await store.drop(id).catch(() => {})
      throw error
    }
  }

  const begin = async (
    asking: Asking,
    asked: AskedRun,
    { id, key }: { readonly id: string; readonly key: string | undefined },
  ): Promise<BegunRun> => {
    const { caller, name, hosted } = asking
    const { labels = {}, attributes = {}, context = `ctx_${randomBytes(12).toString('hex')}` } = asked
    assertMayRun(asking, { id, labels })
    const known = await directory.find(id).catch((error: unknown) => {
      throw hideDeletion(caller, error, 'session_exists')
    })
    if (known !== undefined) return { session: repeated(known, key), isNew: false }
    if (kernel.isDraining || stopping.signal.aborted) throw new SluiceError('closed')
    const checked = await toRunRequest(name, hosted, asked)
    hosted.agent.check(checked)
    await assertMayResume(kernel, asking, { request: checked, handles })
    assertFree(`${name}\0${context}`)
    const earlier = asked.context === undefined ? [] : await conversations.sessionsOf(name, asked.context)
    const request = await withEarlierRun(kernel, asking, { request: checked, earlier })
    if (request !== checked) hosted.agent.check(request)
    const info = omitUndefined({
      owner: caller.subject,
      writer: runWriter(name),
      boundAgent: name,
      labels,
      attributes,
      context,
      key,
    })
    return open(asking, { id, info }, request)
  }

  const countOf = (name: string): RunCount => {
    const { active = 0, queued = 0 } = turns.get(name) ?? {}
    return { active, queued }
  }

  return {
    usual: [...agents].find(([, { agent }]) => agent.kind === 'demo')?.[0] ?? [...agents.keys()][0],
    start: () => recoverRuns(kernel, { store, stopping: stopping.signal, endProcess: parts.endProcess }),

    async stop() {
      stopping.abort()
      for (const run of live.values()) run.stop(stoppedEnding)
      const finish = async (): Promise<void> => {
        await Promise.allSettled(beginning.values())
        await Promise.all([...live.values()].map(({ done }) => done))
      }
      const finished = finish()
      await within(finished, clock, kernel.config.drainMs)
      for (const run of live.values()) run.kill()
      await within(finished, clock, killedMs)
    },

    look: createPresences(clock, stopping.signal),

    count(name) {
      const counts = (name === undefined ? [...agents.keys()] : [name]).map(countOf)
      return {
        active: counts.reduce((sum, { active }) => sum + active, 0),
        queued: counts.reduce((sum, { queued }) => sum + queued, 0),
      }
    },

    async begin(caller, { name, key: idempotencyKey }, asked) {
      const hosted = agents.get(name)
      if (hosted === undefined) throw new SluiceError('unknown_agent')
      const key = idempotencyKey === undefined ? undefined : hashOf(name, caller.subject, idempotencyKey)
      const id = asked.session ?? `sess_${key?.slice(0, 32) ?? randomBytes(16).toString('hex')}`
      while (beginning.has(id)) await beginning.get(id)?.catch(() => {})
      const begun = begin({ caller, name, hosted }, asked, { id, key })
      beginning.set(id, begun)
      return begun.finally(() => beginning.delete(id))
    },
  }
}

/** The session that the same request created before; throws `session_exists` for another one. */
function repeated(session: Session, key: string | undefined): Session {
  const known = session.head === undefined ? undefined : toInfo(session.head.info)
  if (key !== undefined && known?.key === key) return session
  throw new SluiceError('session_exists')
}

function hashOf(...parts: readonly string[]): string {
  return createHash('sha256')
    .update(['run', ...parts].join('\0'))
    .digest('hex')
}

function within(promise: Promise<unknown>, clock: Kernel['clock'], ms: number): Promise<void> {
  return new Promise((resolve) => {
    const timer = clock.after(ms, resolve)
    void promise.then(() => {
      timer.clear()
      resolve()
    })
  })
}
