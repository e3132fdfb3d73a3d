import type { Client, SluiceFrame } from '@sluice/client'
import { type OutlineRow, outlineOf, type SluiceError } from '@sluice/protocol'
import { toSluiceError } from '@sluice/react'
import { createColumns, type GrowingColumns } from './growing-columns.ts'

/** What is known about all entries of a session. */
export interface OutlineView {
  /** Grows in place; `revision` then changes. */
  readonly columns: GrowingColumns
  readonly revision: number
  /** How many entries the session has, as far as is known. */
  readonly total: number
  readonly isLoading: boolean
  readonly error: SluiceError | undefined
}

export interface OutlineStore {
  /** Loads the existing entries on the first call. */
  subscribe(listener: () => void): () => void
  getSnapshot(): OutlineView
  /** Adds entries that arrived live. */
  add(entries: readonly SluiceFrame[]): void
  retry(): void
}

const pageSize = 10_000

export function createOutlineStore(client: Client, id: string): OutlineStore {
  const listeners = new Set<() => void>()
  const columns = createColumns()
  let view: OutlineView = { columns, revision: 0, total: 0, isLoading: false, error: undefined }
  let isStarted = false

  function publish(changes: Partial<OutlineView>): void {
    view = { ...view, ...changes }
    for (const listener of [...listeners]) listener()
  }

  function push(rows: readonly OutlineRow[]): void {
    for (const row of rows) if (row.seq === columns.count) columns.push(row)
  }

  async function load(): Promise<void> {
    if (view.isLoading) return
    publish({ isLoading: true, error: undefined })
    try {
      for (;;) {
        const page = await client.outline(id, { after: columns.count - 1, limit: pageSize })
        push(page.rows)
        publish({ revision: view.revision + 1, total: Math.max(view.total, page.head + 1) })
        if (page.next === undefined || page.rows.length === 0) break
      }
      publish({ isLoading: false })
    } catch (error) {
      const known = toSluiceError(error)
      publish({ isLoading: false, error: known })
    }
  }

  return {
    getSnapshot: () => view,
    subscribe(listener) {
      const own = (): void => listener()
      listeners.add(own)
      if (!isStarted) {
        isStarted = true
        void load()
      }
      return () => listeners.delete(own)
    },
    add(entries) {
      const last = entries.at(-1)
      if (!isStarted || last === undefined) return
      push(entries.map(outlineOf))
      publish({ revision: view.revision + 1, total: Math.max(view.total, last.seq + 1) })
      // Entries before these have not been read yet.
      if (last.seq >= columns.count) void load()
    },
    retry: () => void load(),
  }
}
