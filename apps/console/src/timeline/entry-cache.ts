import type { Client, SluiceFrame } from '@sluice/client'
import type { SluiceError } from '@sluice/protocol'
import { toSluiceError } from '@sluice/react'

/** The entries of a session that are being viewed, read in pages; the most recently used pages are kept. */
export interface EntryCache {
  subscribe(listener: () => void): () => void
  /** Changes when entries arrive. */
  getSnapshot(): number
  /** The entry, if it was read; if not, it is requested. */
  get(seq: number): SluiceFrame | undefined
  /** Adds entries that arrived live. */
  add(entries: readonly SluiceFrame[]): void
  readonly error: SluiceError | undefined
  retry(): void
}

const pageSize = 100
const maxPages = 40

export function createEntryCache(client: Client, id: string): EntryCache {
  const listeners = new Set<() => void>()
  const pages = new Map<number, Map<number, SluiceFrame>>()
  const underWay = new Set<number>()
  let revision = 0
  let error: SluiceError | undefined

  function changed(): void {
    revision += 1
    for (const listener of [...listeners]) listener()
  }

  function pageOf(number: number): Map<number, SluiceFrame> {
    const page = pages.get(number) ?? new Map<number, SluiceFrame>()
    pages.delete(number)
    pages.set(number, page)
    for (const oldest of pages.keys()) {
      if (pages.size <= maxPages) break
      pages.delete(oldest)
    }
    return page
  }

  async function load(number: number): Promise<void> {
    if (underWay.has(number) || error !== undefined) return
    underWay.add(number)
    try {
      // A response holds at most about a megabyte, so large entries take more than one.
      const last = (number + 1) * pageSize - 1
      for (let after = number * pageSize - 1; after < last; ) {
        const { frames } = await client.read(id, { after: String(after), limit: last - after })
        const page = pageOf(number)
        for (const { frame } of frames) page.set(frame.seq, frame)
        const reached = frames.at(-1)?.frame.seq
        if (reached === undefined) break
        after = reached
        changed()
      }
    } catch (thrown) {
      error = toSluiceError(thrown)
      changed()
    } finally {
      underWay.delete(number)
    }
  }

  return {
    subscribe(listener) {
      const own = (): void => listener()
      listeners.add(own)
      return () => listeners.delete(own)
    },
    getSnapshot: () => revision,
    get(seq) {
      const number = Math.floor(seq / pageSize)
      const found = pages.get(number)?.get(seq)
      if (found === undefined) void load(number)
      return found
    },
    add(entries) {
      for (const entry of entries) pageOf(Math.floor(entry.seq / pageSize)).set(entry.seq, entry)
      if (entries.length > 0) changed()
    },
    get error() {
      return error
    },
    retry() {
      error = undefined
      changed()
    },
  }
}
