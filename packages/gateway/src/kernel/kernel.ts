import { getHeapStatistics } from 'node:v8'
import type { Log } from '@sluice/log'
import { type Clock, type Dialect, type Entry, SluiceError } from '@sluice/protocol'
import { dialectById, dialects } from '@sluice/protocol/dialects'
import type { Action, Caller } from '../access/caller.ts'
import type { GatewayConfig } from '../config/config.ts'
import { createDeliveryCount, type DeliveryCount } from '../ops/delivery-count.ts'
import type { Logger } from '../ops/logger.ts'
import type { Metrics } from '../ops/metrics.ts'
import { createRingBudget } from './fan-out/ring-budget.ts'
import { createSubscribers, type Subscribers } from './fan-out/subscribers.ts'
import { createQuestions, type Questions } from './questions/questions.ts'
import { createDirectory, type Directory } from './sessions/directory.ts'
import { hideDeletion } from './sessions/hide-deletion.ts'
import { createPendingBytes, type PendingBytes } from './sessions/pending-bytes.ts'
import type { Session } from './sessions/session.ts'
import { subjectWriter, toInfo } from './sessions/session-info.ts'
import { targetOf } from './sessions/session-target.ts'
import { createStoredBytes, type StoredBytes } from './sessions/stored-bytes.ts'
import { withoutSession } from './sessions/without-session.ts'

export interface KernelParts {
  readonly config: GatewayConfig
  readonly log: Log
  readonly clock: Clock
  readonly logger: Logger
  readonly metrics: Metrics
}

/** Called with the entries of a session that became durable, in the order of the log. */
export type CommitListener = (session: string, entries: readonly Entry[]) => void

/** Sessions, their questions and their subscribers. Knows no protocol of clients and no feature. */
export interface Kernel extends KernelParts {
  readonly directory: Directory
  readonly subscribers: Subscribers
  readonly pending: PendingBytes
  readonly deliveries: DeliveryCount
  readonly questions: Questions
  readonly stored: StoredBytes
  /** True once the gateway begins to shut down. */
  readonly isDraining: boolean
  /** Aborts, with the error `closed`, when that begins. */
  readonly draining: AbortSignal
  drain(): void
  /** Listeners are called in the order in which they were added. */
  onCommit(listener: CommitListener): void
  dialect(id: string): Dialect
  /** The same dialect for frames that belong to the session they are sent to, whichever one they name. */
  nameless(id: string): Dialect
  /**
   * A session on which the caller may do this. Throws `unknown_session`, `forbidden` or `session_reserved`.
   */
  reach(caller: Caller, id: string, action: Action): Promise<Session>
  /** The same for publishing: begins a session that does not exist, if the caller may. */
  reachOrBegin(caller: Caller, id: string): Promise<Session>
}

/** The part of the heap that the states of sessions may take: their weight is about their length in bytes. */
const stateShare = 0.25

export function createKernel(parts: KernelParts): Kernel {
  const { config, log, clock, logger, metrics } = parts
  const { limits } = config
  const deliveries = createDeliveryCount(metrics)
  const listeners: CommitListener[] = []
  const nameless = new Map<string, Dialect>()
  const dialectOf = (id: string): Dialect | undefined => dialects.find((dialect) => dialect.id === id)
  const questions = createQuestions({
    log,
    clock,
    logger,
    dialectOf,
    find: (id) => directory.find(id),
    limits,
  })
  const stored = createStoredBytes(log, limits.storedBytesPerSubject)
  const directory = createDirectory({
    log,
    clock,
    budget: createRingBudget(limits.ringsBytes),
    limits,
    dialectOf,
    onAppended: metrics.appended,
    onEntries(session, entries, storedAt) {
      questions.committed(session, entries, storedAt)
      for (const listener of listeners) listener(session, entries)
    },
    tokens: questions.tokens,
    quota: questions.quota,
    stored,
    delivered: (transport, dialect) => deliveries.of(transport, dialect).add,
    idleSessionMs: limits.idleSessionMs,
    openSessions: limits.openSessions,
    stateWeight: getHeapStatistics().heap_size_limit * stateShare,
  })
  directory.watch((change) => {
    if (change.type === 'deleted') questions.forget(change.id)
  })
  const draining = new AbortController()

  const find = async (caller: Caller, id: string): Promise<Session | undefined> => {
    try {
      return await directory.find(id)
    } catch (error) {
      throw hideDeletion(caller, error)
    }
  }

  return {
    ...parts,
    directory,
    questions,
    stored,
    deliveries,
    subscribers: createSubscribers({ clock, heartbeatMs: config.heartbeatMs, stalledMs: limits.stalledMs }),
    pending: createPendingBytes(limits.pendingBytes),
    get isDraining() {
      return draining.signal.aborted
    },
    draining: draining.signal,
    drain() {
      draining.abort(new SluiceError('closed'))
    },
    onCommit(listener) {
      listeners.push(listener)
    },
    dialect: dialectById,
    nameless(id) {
      const dialect = nameless.get(id) ?? withoutSession(dialectById(id))
      nameless.set(id, dialect)
      return dialect
    },
    async reach(caller, id, action) {
      const session = await find(caller, id)
      if (session === undefined) throw new SluiceError('unknown_session')
      assertAllowed(caller, action, session)
      return session
    },
    async reachOrBegin(caller, id) {
      const session = await find(caller, id)
      if (session !== undefined) {
        assertAllowed(caller, 'publish', session)
        return session
      }
      if (!caller.canCreate({ id, owner: caller.subject, labels: {} }))
        throw new SluiceError('unknown_session')
      return directory.open(id)
    },
  }
}

/** A caller that may not even read a session gets the error of one that does not exist. */
function assertAllowed(caller: Caller, action: Action, session: Session): void {
  const target = targetOf(session)
  if (!caller.can(action, target))
    throw new SluiceError(caller.can('subscribe', target) ? 'forbidden' : 'unknown_session')
  const writer = session.head === undefined ? undefined : toInfo(session.head.info).writer
  if (action === 'publish' && writer !== undefined && writer !== subjectWriter(caller.subject))
    throw new SluiceError('session_reserved')
}
