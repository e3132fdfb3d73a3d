import type { Log, SessionHead } from '@sluice/log'
import type { SessionResource } from '@sluice/protocol'
import type { Caller, SessionTarget } from '../../access/caller.ts'
import type { Directory, DirectoryChange } from './directory.ts'
import { toResource } from './session-info.ts'
import { listSessions, matches, type SessionQuery } from './session-list.ts'
import { targetOfHead } from './session-target.ts'

/** How a list of sessions is told, whatever carries it. */
export interface ListWire {
  /** False while nothing more should be told; `drained` is to be called when that is over. */
  isFree(): boolean
  /** The list is read, and what follows tells of it. */
  begin(): void
  sessions(resources: readonly SessionResource[]): void
  /** The page was told. */
  ready(): void
  deleted(id: string): void
  /** The list cannot be read any more, and nothing follows. */
  fail(error: unknown): void
}

export interface ListWatchParts {
  readonly log: Log
  readonly directory: Directory
  readonly query: SessionQuery
  readonly isVisible: (target: SessionTarget) => boolean
  readonly wire: ListWire
}

/**
 * Tells a page of sessions, then what changes. A slow reader costs the names of the sessions that it has not been told
 * of; it gets each as it is then.
 */
export interface ListWatch {
  /** Rejects when the list cannot be read; nothing was told then, and nothing follows. */
  start(): Promise<void>
  drained(): void
  /** Whether something waits until the wire is free. */
  readonly isStalled: boolean
  close(): void
}

/** Stands in the row behind the names of the page. */
const endOfPage = ''

export function createListWatch(parts: ListWatchParts): ListWatch {
  const { log, directory, query, isVisible, wire } = parts
  /** Those that were told of: of them deletions are told too, and the change after which they no longer match. */
  const known = new Set<string>()
  /** Names that wait, in their order. */
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
        // What changes meanwhile waits again, and comes behind this.
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
        // Oldest first, so that a client which puts each on top has them in order.
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
        // What changed while the page was read comes behind it.
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
