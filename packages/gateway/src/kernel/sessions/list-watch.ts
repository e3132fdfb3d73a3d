import type { Log, SessionHead } from '@sluice/log'
import { type SessionResource, SluiceError } from '@sluice/protocol'
import type { Caller, SessionTarget } from '../../access/caller.ts'
import type { Directory, DirectoryChange } from './directory.ts'
import { toResource } from './session-info.ts'
import { listSessions, matches, type SessionQuery } from './session-list.ts'
import { targetOfHead } from './session-target.ts'

/** Carries a list of sessions to a reader, over any transport. */
export interface ListWire {
  /** False while nothing else should be sent; call `drained` when it can be again. */
  isFree(): boolean
  /** The list was read, and updates follow. */
  begin(): void
  sessions(resources: readonly SessionResource[]): void
  /** The page is complete. */
  ready(): void
  deleted(id: string): void
  /** The list cannot be read any longer, and nothing follows. */
  fail(error: unknown): void
}

export interface ListWatchParts {
  readonly log: Log
  readonly directory: Directory
  readonly query: SessionQuery
  readonly isVisible: (target: SessionTarget) => boolean
  readonly wire: ListWire
  /** How many names of sessions it remembers; 10 000 by default. */
  readonly maxNames?: number
}

/**
 * Sends a page of sessions, then their changes. A slow reader costs only the names of the sessions that it
 * has yet to receive; it gets each one as it is by then.
 */
export interface ListWatch {
  /** Rejects when the list cannot be read; nothing was sent then, and nothing follows. */
  start(): Promise<void>
  drained(): void
  /** Whether something waits until the wire is free. */
  readonly isStalled: boolean
  close(): void
}

/** With more names than this, a watch fails, and its reader begins again with a page. */
const maxNames = 10_000

/** Follows the names of the page in the queue. */
const endOfPage = ''

export function createListWatch(parts: ListWatchParts): ListWatch {
  const { log, directory, query, isVisible, wire } = parts
  /**
   * The sessions that were sent: the reader also receives their deletion, and the change after which they no
   * longer match.
   */
  const known = new Set<string>()
  /** Names that wait, in order. */
  const waiting = new Set<string>()
  let isBegun = false
  let isReading = false
  let isClosed = false
  let unwatch = (): void => {}

  const tell = (id: string, head: SessionHead | undefined): void => {
    if (head === undefined) {
      if (known.delete(id)) wire.deleted(id)
      return
    }
    const resource = toResource(head)
    if (!(known.has(id) || matches(resource, query)) || !isVisible(targetOfHead(head))) return
    known.add(id)
    wire.sessions([resource])
  }

  const catchUp = async (): Promise<void> => {
    if (!isBegun || isReading) return
    isReading = true
    try {
      for (const id of waiting) {
        if (isClosed || !wire.isFree()) return
        waiting.delete(id)
        // A change in the meantime queues the name again, so it comes later.
        const head = id === endOfPage ? undefined : await log.head(id)
        if (isClosed) return
        if (id === endOfPage) wire.ready()
        else tell(id, head)
      }
    } catch (error) {
      if (isClosed) return
      close()
      wire.fail(error)
    } finally {
      isReading = false
    }
  }

  const onChange = (change: DirectoryChange): void => {
    const [id, head] =
      change.type === 'changed' ? [change.session.id, change.session.head] : [change.id, undefined]
    if (isBegun && !isReading && waiting.size === 0 && wire.isFree()) tell(id, head)
    else waiting.add(id)
    if (!isBegun || isClosed || known.size + waiting.size <= (parts.maxNames ?? maxNames)) return
    close()
    wire.fail(new SluiceError('overloaded'))
  }

  const close = (): void => {
    isClosed = true
    waiting.clear()
    unwatch()
  }

  return {
    async start() {
      unwatch = directory.watch(onChange)
      try {
        // Oldest first, so that a client that puts each session on top has them in order.
        const page = [...(await listSessions(log, query, isVisible)).sessions].reverse()
        if (isClosed) return
        wire.begin()
        const changed = [...waiting]
        waiting.clear()
        if (wire.isFree()) {
          for (const { id } of page) known.add(id)
          wire.sessions(page)
          wire.ready()
        } else for (const id of [...page.map(({ id }) => id), endOfPage]) waiting.add(id)
        // Changes made while the page was read come after it.
        for (const id of changed) waiting.add(id)
        isBegun = true
        void catchUp()
      } catch (error) {
        close()
        throw error
      }
    },
    drained: () => void catchUp(),
    get isStalled() {
      return isBegun && !isReading && waiting.size > 0
    },
    close,
  }
}

/** Which sessions a caller sees in a list. */
export function seenBy(caller: Caller): (target: SessionTarget) => boolean {
  return (target) => caller.can('subscribe', target)
}
