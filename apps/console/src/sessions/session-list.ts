import type { Client, ConnectionState, SessionChange, SessionFilter, SessionResource } from '@sluice/client'
import { omitUndefined, type SluiceError } from '@sluice/protocol'
import { toSluiceError } from '@sluice/react'

/** Sessions that match a filter, newest first, as they are now. */
export interface SessionListView {
  readonly phase: 'loading' | 'ready' | 'failed'
  readonly sessions: readonly SessionResource[]
  readonly connection: ConnectionState
  readonly error: SluiceError | undefined
  /** Older ones exist: `more()` loads them. */
  readonly hasMore: boolean
}

export interface SessionListStore {
  subscribe(listener: () => void): () => void
  getSnapshot(): SessionListView
  more(): Promise<void>
}

export type ListFilter = Pick<SessionFilter, 'q' | 'state' | 'context'>

const pageSize = 50
/** The list is for browsing; older sessions are found by searching. */
const maxSessions = 2000

/** Follows the list while it has listeners. */
export function createSessionList(client: Client, filter: ListFilter): SessionListStore {
  const listeners = new Set<() => void>()
  const known = new Map<string, SessionResource>()
  let view: SessionListView = {
    phase: 'loading',
    sessions: [],
    connection: { status: 'connecting' },
    error: undefined,
    hasMore: false,
  }
  let page = new Set<string>()
  let isPaging = false
  let running: AbortController | undefined

  function publish(changes: Partial<SessionListView>): void {
    view = { ...view, ...changes }
    for (const listener of [...listeners]) listener()
  }

  function sorted(): readonly SessionResource[] {
    return [...known.values()].sort((a, b) => b.createdAt - a.createdAt || (a.id < b.id ? 1 : -1))
  }

  function matches({ state }: SessionResource): boolean {
    return filter.state === undefined || filter.state === state
  }

  /** Removes sessions that a new connection did not list, unless they are older than all that it listed. */
  function forgetGone(): void {
    const oldest = Math.min(...[...page].map((id) => known.get(id)?.createdAt ?? Number.POSITIVE_INFINITY))
    for (const [id, { createdAt }] of known) if (!page.has(id) && createdAt > oldest) known.delete(id)
    if (page.size === 0) known.clear()
  }

  function hear(change: SessionChange): void {
    switch (change.type) {
      case 'begin':
        page = new Set()
        isPaging = true
        return
      case 'session':
        if (isPaging) page.add(change.session.id)
        if (matches(change.session)) known.set(change.session.id, change.session)
        else known.delete(change.session.id)
        break
      case 'ready':
        isPaging = false
        forgetGone()
        publish({ phase: 'ready', sessions: sorted(), hasMore: view.hasMore || page.size >= pageSize })
        return
      case 'deleted':
        known.delete(change.id)
        break
    }
    if (!isPaging) publish({ sessions: sorted() })
  }

  async function run(signal: AbortSignal): Promise<void> {
    try {
      const onConnection = (connection: ConnectionState): void => publish({ connection })
      for await (const change of client.sessions.watch({ ...filter, signal, onConnection })) hear(change)
    } catch (error) {
      if (!signal.aborted) publish({ phase: 'failed', error: toSluiceError(error) })
    }
  }

  return {
    getSnapshot: () => view,
    subscribe(listener) {
      const own = (): void => listener()
      listeners.add(own)
      if (running === undefined) {
        running = new AbortController()
        void run(running.signal)
      }
      return () => {
        listeners.delete(own)
        // React unsubscribes and subscribes again at once while it mounts.
        queueMicrotask(() => {
          if (listeners.size > 0) return
          running?.abort()
          running = undefined
        })
      }
    },
    async more() {
      let next: string | undefined
      const before = known.size
      do {
        const answer = await client.sessions.list({
          ...filter,
          limit: 200,
          ...omitUndefined({ page: next }),
        })
        for (const session of answer.sessions) if (!known.has(session.id)) known.set(session.id, session)
        next = answer.next
      } while (next !== undefined && known.size < Math.min(before + pageSize, maxSessions))
      publish({ sessions: sorted(), hasMore: next !== undefined && known.size < maxSessions })
    },
  }
}
