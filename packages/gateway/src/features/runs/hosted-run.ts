import {
  type Entry,
  omitUndefined,
  type Run,
  type RunRequest,
  type SessionState,
  SluiceError,
  type SluiceEvent,
  type Source,
} from '@sluice/protocol'
import type { Kernel } from '../../kernel/kernel.ts'
import { withUniqueEvents } from '../../kernel/questions/unique-tokens.ts'
import { toInputs } from '../../kernel/sessions/inputs.ts'
import { toPlainEvents } from '../../kernel/sessions/published-events.ts'
import type { Session } from '../../kernel/sessions/session.ts'
import { runWriter } from '../../kernel/sessions/session-info.ts'
import { endDurably, isGone } from './end-durably.ts'
import type { HostedAgent } from './hosted-agent.ts'
import { begunEvents, createNaming, endEvent, failedBecause, hasEnd, type RunEnding } from './run-events.ts'
import type { RunGroups } from './run-groups.ts'
import { createRunInputs } from './run-inputs.ts'
import type { QueuePlace } from './run-queue.ts'
import { assertSameDirs } from './run-request.ts'
import type { RunStore } from './run-store.ts'
import { storeFrame } from './store-frame.ts'
import { storeOutputs } from './store-outputs.ts'

export interface HostedRunParts {
  readonly kernel: Kernel
  readonly store: RunStore
  /** Where the agent's own session is recorded, so that later runs can continue it. */
  readonly handles: RunGroups
  /** The name of the agent in requests. */
  readonly name: string
  readonly hosted: HostedAgent
  readonly session: Session
  readonly request: RunRequest
  readonly turn: QueuePlace
  /** Whether it had to wait for its turn when it was requested. */
  readonly wasQueued: boolean
  /** Resolves when its beginning is durable. */
  readonly stored: Promise<unknown>
  readonly source: Source
  /** Aborts when the gateway stops. */
  readonly stopping: AbortSignal
}

/** A run of an agent, from its turn to the durable end of its session. */
export interface HostedRun {
  /** Takes the entries that became durable in its session. */
  committed(entries: readonly Entry[]): void
  /** Ends the run; the first reason counts. `over`: its session has ended or was deleted. */
  stop(why: RunEnding | 'over'): void
  /** Ends a stopped run by force. */
  kill(): void
  /** Resolves when nothing is left to do, to whether the end is durable. Never rejects. */
  readonly done: Promise<boolean>
}

export function hostRun(parts: HostedRunParts): HostedRun {
  const { kernel, store, name, hosted, session, turn, source } = parts
  const { clock, logger, metrics } = kernel
  const naming = createNaming({ id: name, kind: hosted.agent.kind, name: hosted.title })
  const stopped = new AbortController()
  let stop: RunEnding | 'over' | undefined
  let failure: RunEnding | undefined
  let run: Run | undefined
  let startedAt: number | undefined
  let recorded: string | undefined
  let before: readonly SluiceEvent[] = []
  let isEnding = false
  metrics.runStarted()

  const halt = (why: RunEnding | 'over'): void => {
    stop ??= why
    stopped.abort()
    if (run === undefined) turn.end()
    else run.cancel()
  }

  const isTaken = (token: string): boolean => kernel.questions.tokens.isTaken(token, session.id)

  const record = async (handle: string | undefined): Promise<void> => {
    if (handle === undefined || handle === recorded) return
    recorded = handle
    await parts.handles.add(session.id, hosted.agent.kind, handle)
  }

  const storeEvents = async (events: readonly SluiceEvent[]): Promise<void> => {
    const named = naming.name(events)
    const make = (state: SessionState): readonly SluiceEvent[] | undefined =>
      state.end === undefined ? withUniqueEvents(toPlainEvents(named, state), state, isTaken) : undefined
    const written = session.write((writer) => writer.make(make, { direction: 'event', source }))
    await Promise.all([written, record(naming.known.session)])
  }

  const onFailure = (error: unknown): void => {
    if (isGone(error)) {
      halt('over')
      return
    }
    const code = error instanceof SluiceError ? error.code : 'internal'
    logger.error({ session: session.id, agent: name, code }, 'what a run said could not be stored')
    failure ??= failedBecause(code, 'What the agent said could not be stored.')
    halt(failure)
  }

  const play = async (): Promise<RunEnding> => {
    try {
      await parts.stored
      await turn.came
      if (stop !== undefined) return endingOf(stop)
      startedAt = clock.monotonic()
      if (parts.wasQueued) storeEvents(begunEvents).catch(onFailure)
      await assertSameDirs(parts.request)
      if (stop !== undefined) return endingOf(stop)
      run = hosted.agent.run(parts.request, {
        clock,
        onProcess: (process) => store.keep({ session: session.id, agent: name, process }),
      })
      before = await storeOutputs(run.outputs, {
        pending: kernel.pending,
        store: (output) =>
          output.type === 'events'
            ? storeEvents(output.events)
            : storeFrame(kernel, session, {
                text: output.text,
                publication: { ...source, dialect: kernel.nameless(output.dialect) },
                writer: runWriter(name),
              }),
        onFailure,
        stopped: stopped.signal,
      })
      const { handle } = await run.completion
      return omitUndefined({ outcome: 'completed', handle })
    } catch (error) {
      run?.cancel()
      await run?.completion.catch(() => {})
      return toEnding(error, stop)
    }
  }

  const perform = async (): Promise<boolean> => {
    const played = await play()
    const ending = failure ?? played
    isEnding = true
    turn.end()
    const { handle } = ending
    // Without a record, only requests in its context can continue it.
    await record(handle).catch(() => {})
    const last = naming.name(before)
    const agent = handle === undefined ? naming.known : { ...naming.known, session: handle }
    const durationMs = startedAt === undefined ? undefined : clock.monotonic() - startedAt
    const end = endEvent(ending, agent, durationMs)
    const isStored = await endDurably(
      session,
      { before: last, end, direction: 'event', source },
      { clock, logger, stopping: parts.stopping },
    )
    metrics.runEnded(ending.outcome)
    logger.info(
      {
        session: session.id,
        agent: name,
        status: ending.outcome,
        ...omitUndefined({ code: ending.error?.code, durationMs }),
      },
      'a run ended',
    )
    // If the mark cannot be removed, the next start finds it, and finds that the session has ended.
    if (isStored) await store.drop(session.id).catch(() => {})
    return isStored
  }

  const takeInput = createRunInputs({
    session,
    run: () => run,
    cancel: (by) => halt(omitUndefined({ outcome: 'cancelled', by })),
    onFailure,
  })

  return {
    stop: halt,
    kill: () => run?.kill?.(),
    done: perform(),
    committed(entries) {
      if (isEnding) return
      for (const entry of entries) {
        if (entry.direction === 'event') continue
        for (const input of toInputs(entry)) takeInput(input)
        if (hasEnd(entry)) halt('over')
      }
    },
  }
}

/** The reason for stopping only counts if the run was cancelled: a failure that came first remains one. */
function toEnding(error: unknown, stop: RunEnding | 'over' | undefined): RunEnding {
  if (!(error instanceof SluiceError))
    return {
      outcome: 'failed',
      error: { category: 'unknown', code: 'run_failed', message: 'The run failed.' },
    }
  if (error.code === 'run_cancelled') return endingOf(stop)
  return {
    outcome: 'failed',
    error: { category: 'unknown', code: error.code, message: error.message },
  }
}

function endingOf(stop: RunEnding | 'over' | undefined): RunEnding {
  return stop === undefined || stop === 'over' ? { outcome: 'cancelled' } : stop
}
