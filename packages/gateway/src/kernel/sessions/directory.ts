import type { RetentionRule } from '@sluice/log'
import type { Timer } from '@sluice/protocol'
import { createConcurrencyLimit } from '../concurrency-limit.ts'
import { deletionOf } from './hide-deletion.ts'
import { createSession, type Session, type SessionParts } from './session.ts'
import { createStateBudget, type StateBudget } from './state-budget.ts'

/** A change that affects lists of sessions. */
export type DirectoryChange =
  | { readonly type: 'changed'; readonly session: Session }
  | { readonly type: 'deleted'; readonly id: string }

export interface DirectoryOptions extends Omit<SessionParts, 'onChanged' | 'states' | 'loads' | 'reads'> {
  /** How much the states of all sessions in memory may weigh. */
  readonly stateWeight: number
  /** An unused session leaves memory after this time. */
  readonly idleSessionMs: number
  /** Above this number, unused sessions leave memory immediately. */
  readonly openSessions: number
}

/** The sessions in memory. Others are opened when they are requested. */
export interface Directory {
  /** A session; undefined if it does not exist. Throws `session_deleted`. */
  find(id: string): Promise<Session | undefined>
  /** A session, which begins with the first write if it does not exist. Throws `session_deleted`. */
  open(id: string): Promise<Session>
  delete(id: string): Promise<boolean>
  /** Removes ended sessions by a rule and returns how many. */
  retire(rule: RetentionRule): Promise<number>
  watch(listener: (change: DirectoryChange) => void): () => void
  readonly openCount: number
  /** The states of all sessions in memory. If the budget stays full, events must be refused. */
  readonly states: StateBudget
  /** Stores checkpoints and releases all sessions. */
  close(): Promise<void>
}

/** States that are loaded at the same time; each may take several megabytes, and readers often come together. */
const maxLoads = 4
/** Reads of the log by subscribers at the same time; each may be a slice or one large entry. */
const maxReads = 8

export function createDirectory(options: DirectoryOptions): Directory {
  const { log, clock } = options
  const opened = new Map<string, Session>()
  const opening = new Map<string, Promise<Session>>()
  // Sessions that left memory but may still be referenced: every caller gets the same object, never a second
  // one.
  const rested = new Map<string, WeakRef<Session>>()
  const collected = new FinalizationRegistry<string>((id) => {
    if (rested.get(id)?.deref() === undefined) rested.delete(id)
  })
  const listeners = new Set<(change: DirectoryChange) => void>()

  const tell = (change: DirectoryChange): void => {
    for (const listener of listeners) listener(change)
  }

  let isRelieving = false
  /** Frees the states of sessions that nobody writes to, the least recently used first, until there is room. */
  const relieve = async (): Promise<void> => {
    if (isRelieving) return
    isRelieving = true
    for (const session of [...opened.values()].toSorted((a, b) => a.usedAt - b.usedAt)) {
      if (!states.isFull) break
      if (!session.isWriting) await release(session)
    }
    isRelieving = false
  }

  const states = createStateBudget(options.stateWeight, () => void relieve())
  const parts: SessionParts = {
    ...options,
    states,
    loads: createConcurrencyLimit(maxLoads),
    reads: createConcurrencyLimit(maxReads),
    onChanged: (session) => tell({ type: 'changed', session }),
  }

  const load = async (id: string): Promise<Session> => {
    const head = await log.head(id)
    if (head === undefined && (await log.isDeleted(id))) throw deletionOf(id)
    const session = createSession(id, head, parts)
    opened.set(id, session)
    if (opened.size > options.openSessions) void sweep(0)
    return session
  }

  const letGo = (session: Session): void => {
    if (opened.get(session.id) !== session) return
    opened.delete(session.id)
    rested.set(session.id, new WeakRef(session))
    collected.register(session, session.id)
  }

  const open = (id: string): Promise<Session> => {
    const known = opened.get(id) ?? rested.get(id)?.deref()
    if (known !== undefined) {
      rested.delete(id)
      opened.set(id, known)
      return Promise.resolve(known)
    }
    const loading = opening.get(id) ?? load(id).finally(() => opening.delete(id))
    opening.set(id, loading)
    return loading
  }

  const release = async (session: Session): Promise<void> => {
    const usedAt = session.usedAt
    await session.rest()
    const isUnused = !session.isBusy && session.usedAt === usedAt
    if (isUnused) letGo(session)
  }

  const sweep = async (idleMs: number): Promise<void> => {
    const before = clock.monotonic() - idleMs
    for (const session of [...opened.values()])
      if (!session.isBusy && session.usedAt <= before) await release(session)
  }

  /** Handles a deleted session: its readers reconnect, and learn of the deletion. */
  const forget = async (id: string): Promise<void> => {
    // A caller that is opening it right now may have found it before the deletion.
    await opening.get(id)?.catch(() => undefined)
    const session = opened.get(id) ?? rested.get(id)?.deref()
    opened.delete(id)
    rested.delete(id)
    states.set(id, 0)
    for (const reader of [...(session?.readers ?? [])]) reader.reset()
    tell({ type: 'deleted', id })
  }

  let timer: Timer
  const schedule = (): void => {
    timer = clock.after(options.idleSessionMs, () => {
      void sweep(options.idleSessionMs)
      schedule()
    })
  }
  schedule()

  return {
    open,
    async find(id) {
      const session = await open(id)
      if (session.head !== undefined) return session
      if (!session.isBusy) letGo(session)
      return undefined
    },
    async delete(id) {
      const head = await log.head(id)
      const isDeleted = await log.delete(id)
      if (isDeleted && head !== undefined) options.stored?.remove(head)
      await forget(id)
      return isDeleted
    },
    async retire(rule) {
      const removed = await log.retire(rule)
      for (const id of removed) await forget(id)
      // Their heads are gone.
      if (removed.length > 0) await options.stored?.start()
      return removed.length
    },
    watch(listener) {
      listeners.add(listener)
      return () => {
        listeners.delete(listener)
      }
    },
    states,
    get openCount() {
      return opened.size
    },
    async close() {
      timer.clear()
      for (const session of [...opened.values()]) await session.rest()
      opened.clear()
    },
  }
}
