import type { Log } from '@sluice/log'
import { type Clock, type Dialect, type RunProcess, SluiceError } from '@sluice/protocol'
import { dialectById, dialects } from '@sluice/protocol/dialects'
import { createDesk, type Desk } from './aaep/desk.ts'
import { noSigningKeys, type SigningKeys } from './aaep/signing-keys.ts'
import { createUpstreams, type Upstreams } from './aaep/upstream/upstreams.ts'
import { type Anonymity, anonymityOf } from './auth/anonymity.ts'
import type { Authenticator } from './auth/authenticator.ts'
import { isLoopbackHost } from './auth/binding.ts'
import type { Action, Caller } from './auth/caller.ts'
import type { GatewayConfig } from './config/config.ts'
import { createRingBudget } from './fan-out/ring-budget.ts'
import { createRoster, type Roster } from './fan-out/roster.ts'
import { type ConnectionCount, createConnectionCount } from './http/connection-count.ts'
import { createDeliveryCount, type DeliveryCount } from './ops/delivery-count.ts'
import type { Logger } from './ops/logger.ts'
import type { Metrics } from './ops/metrics.ts'
import { createQuestions, type Questions } from './questions/questions.ts'
import type { HostedAgent } from './runs/hosted-agent.ts'
import { createRuns, type Runs } from './runs/runs.ts'
import { withoutSession } from './runs/store-frame.ts'
import { createDirectory, type Directory } from './sessions/directory.ts'
import { createPendingBytes, type PendingBytes } from './sessions/pending-bytes.ts'
import type { Session } from './sessions/session.ts'
import { subjectWriter, toInfo } from './sessions/session-info.ts'
import { targetOf } from './sessions/session-target.ts'

/** What a gateway is made of. */
export interface GatewayParts {
  readonly config: GatewayConfig
  readonly log: Log
  readonly clock: Clock
  readonly logger: Logger
  readonly metrics: Metrics
  readonly authenticator: Authenticator
  /** What signs the manifest; nothing without it. */
  readonly signingKeys?: SigningKeys
  /** The agents that it runs, by the names under which they are asked for; none without it. */
  readonly agents?: ReadonlyMap<string, HostedAgent>
  /** The directory of the built console: its page and what belongs to it. Without it, the root tells what is where. */
  readonly console?: string
  /** Ends what is left of a run of a gateway that is no more. Answers whether there was something. */
  endProcess?(process: RunProcess): Promise<boolean>
}

/** What every route needs, over HTTP and over WebSocket. */
export interface Gate extends GatewayParts {
  readonly directory: Directory
  readonly roster: Roster
  readonly pending: PendingBytes
  readonly connections: ConnectionCount
  readonly deliveries: DeliveryCount
  readonly isLoopback: boolean
  /** Who needs no credential. */
  readonly anonymity: Anonymity
  readonly questions: Questions
  readonly desk: Desk
  readonly upstreams: Upstreams
  readonly runs: Runs
  /** How to let the streams go that follow the list of sessions. */
  readonly listStreams: Set<(retryMs: number) => void>
  /** True from the moment in which the gateway drains. */
  isDraining: boolean
  dialect(id: string): Dialect
  /** The same dialect for frames that belong where they are sent, whatever they call their session. */
  nameless(id: string): Dialect
  /** A session that exists and that the caller may do this with; otherwise `unknown_session` or `forbidden`. */
  reach(caller: Caller, id: string, action: Action): Promise<Session>
  /** The same for publishing: a session that does not exist is begun if the caller may. */
  reachOrBegin(caller: Caller, id: string): Promise<Session>
}

export function createGate(parts: GatewayParts): Gate {
  const { config, log, clock, metrics } = parts
  const { limits } = config
  const deliveries = createDeliveryCount(metrics)
  const nameless = new Map<string, Dialect>()
  const dialectOf = (id: string): Dialect | undefined => dialects.find((dialect) => dialect.id === id)
  const questions = createQuestions({
    log,
    clock,
    logger: parts.logger,
    dialectOf,
    find: (id) => directory.find(id),
  })
  const directory = createDirectory({
    log,
    clock,
    budget: createRingBudget(limits.ringsBytes),
    limits,
    dialectOf,
    onAppended: metrics.appended,
    onEntries(session, entries, at) {
      questions.committed(session, entries, at)
      gate.desk.committed(session, entries)
      gate.upstreams.committed(session, entries)
      gate.runs.committed(session, entries)
    },
    tokens: questions.tokens,
    delivered: (transport, dialect) => deliveries.of(transport, dialect).add,
    idleSessionMs: limits.idleSessionMs,
    openSessions: limits.openSessions,
  })
  const roster = createRoster({ clock, heartbeatMs: config.heartbeatMs, stalledMs: limits.stalledMs })
  const pending = createPendingBytes(limits.pendingBytes)
  directory.watch((change) => {
    if (change.type !== 'deleted') return
    questions.forget(change.id)
    gate.runs.forget(change.id)
  })

  const find = async (caller: Caller, id: string): Promise<Session | undefined> => {
    try {
      return await directory.find(id)
    } catch (error) {
      // Only callers granted this id learn that the session was deleted.
      const isTold = caller.can('subscribe', { id, labels: {} })
      if (!(error instanceof SluiceError) || error.code !== 'session_deleted' || isTold) throw error
      throw new SluiceError('unknown_session')
    }
  }

  const gate: Gate = {
    ...parts,
    directory,
    roster,
    pending,
    questions,
    connections: createConnectionCount(limits),
    deliveries,
    isLoopback: isLoopbackHost(config.host),
    anonymity: anonymityOf(config),
    listStreams: new Set(),
    isDraining: false,
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
    get desk() {
      return desk
    },
    get upstreams() {
      return upstreams
    },
    get runs() {
      return runs
    },
  }
  const desk = createDesk(gate, parts.signingKeys ?? noSigningKeys)
  const upstreams = createUpstreams(gate)
  const runs = createRuns(gate)
  return gate
}

/** A caller that may not even read a session is told that it does not exist. */
function assertAllowed(caller: Caller, action: Action, session: Session): void {
  const target = targetOf(session)
  if (!caller.can(action, target))
    throw new SluiceError(caller.can('subscribe', target) ? 'forbidden' : 'unknown_session')
  const writer = session.head === undefined ? undefined : toInfo(session.head.info).writer
  if (action === 'publish' && writer !== undefined && writer !== subjectWriter(caller.subject))
    throw new SluiceError('session_reserved')
}
