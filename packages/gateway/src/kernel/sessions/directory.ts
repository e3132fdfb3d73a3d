import type { RetentionRule } from '@sluice/log'
import { SluiceError, type Timer } from '@sluice/protocol'
import { createSession, type Session, type SessionParts } from './session.ts'

/** What a list of sessions is told about. */
export type DirectoryChange =
  | { readonly type: 'changed'; readonly session: Session }
  | { readonly type: 'deleted'; readonly id: string }

export interface DirectoryOptions extends Omit<SessionParts, 'onChanged'> {
  /** A session that nobody uses leaves memory after this. */
  readonly idleSessionMs: number
  /** Beyond so many, sessions that nobody uses leave at once. */
  readonly openSessions: number
}

/** The sessions in memory. Those that are not are opened when someone asks for them. */
export interface Directory {
  /** A session that exists. Throws `session_deleted`. */
  find(id: string): Promise<Session | undefined>
  /** A session that exists, or one that begins with what is written to it. Throws `session_deleted`. */
  open(id: string): Promise<Session>
  delete(id: string): Promise<boolean>
  /** Removes ended sessions by a rule and answers how many. */
  retire(rule: RetentionRule): Promise<number>
  watch(listener: (change: DirectoryChange) => void): () => void
  readonly openCount: number
  sessions(): Iterable<Session>
  /** Keeps checkpoints and lets go of everything. */
  close(): Promise<void>
}

export function createDirectory(options: DirectoryOptions): Directory {
  const { log, clock } = options
  const opened = new Map<string, Session>()
  const opening = new Map<string, Promise<Session>>()
  // Those that left memory and that someone may still hold: whoever asks gets the same, never a second one.
  const rested = new Map<string, WeakRef<Session>>()
  const collected = new FinalizationRegistry<string>((id) => {
    if (rested.get(id)?.deref() === undefined) rested.delete(id)
  })
  const listeners = new Set<(change: DirectoryChange) => void>()

  const tell = (change: DirectoryChange): void => {
    for (const listener of listeners) listener(change)
  }

  const parts: SessionParts = { ...options, onChanged: (session) => tell({ type: 'changed', session }) }

  const load = async (id: string): Promise<Session> => {
    const head = await log.head(id)
    if (head === undefined && (await log.isDeleted(id))) throw new SluiceError('session_deleted')
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
    const before = clock.now() - idleMs
    for (const session of [...opened.values()])
      if (!session.isBusy && session.usedAt <= before) await release(session)
  }

  /** A session that is no more: its readers come back and are told so. */
  const forget = async (id: string): Promise<void> => {
    // Who is opening it right now may have seen it alive.
    await opening.get(id)?.catch(() => undefined)
    const session = opened.get(id) ?? rested.get(id)?.deref()
    opened.delete(id)
    rested.delete(id)
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
      const isDeleted = await log.delete(id)
      await forget(id)
      return isDeleted
    },
    async retire(rule) {
      const removed = await log.retire(rule)
      for (const id of removed) await forget(id)
      return removed.length
    },
    watch(listener) {
      listeners.add(listener)
      return () => {
        listeners.delete(listener)
      }
    },
    get openCount() {
      return opened.size
    },
    sessions: () => opened.values(),
    async close() {
      timer.clear()
      for (const session of [...opened.values()]) await session.rest()
      opened.clear()
    },
  }
}
