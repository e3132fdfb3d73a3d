import type { Digest } from './sip-hash.ts'

/** What an index knows about an id: nothing, the same content, or other content. */
export type IdVerdict = 'new' | 'same' | 'other'

/** Remembers hashes of ids and of their content, in sixteen bytes per slot. Grows by itself. */
export interface IdIndex {
  /** Returns what is known about `id` and records nothing. */
  look(id: string, content: string): IdVerdict
  /** Records `id` with its `content` unless it is known; returns what was known. */
  note(id: string, content: string): IdVerdict
  has(id: string): boolean
  /** The number of ids that note() has recorded, if `journal` is set. */
  readonly noted: number
  /** The memory that the index takes. */
  readonly bytes: number
  /** The ids recorded since the last call, up to the `upTo`-th, for restore(): four numbers per id. */
  drain(upTo: number): Uint32Array
  /** All recorded ids except those after the `upTo`-th, for restore(). */
  dump(upTo: number): Uint32Array
  /** Takes what an index with the same `hash` gave out. */
  restore(recorded: Uint32Array): void
}

export interface IdIndexOptions {
  /**
   * A hash with a secret key: with any other, a sender could make two events that count as one. With ten
   * million ids, the odds of mistaking a new id for a known one are 1 in 370 000.
   */
  readonly hash: (text: string) => Digest
  readonly journal?: boolean
}

const firstCapacity = 64
/** The id's digest and the content's, each the high half first. */
const width = 4

export function createIdIndex({ hash, journal = false }: IdIndexOptions): IdIndex {
  let table = new Uint32Array(firstCapacity * width)
  let size = 0
  let fresh: number[] = []
  let drained = 0
  /** An id is usually noted right after it was looked up. */
  let last: { readonly id: string; readonly digest: Digest } | undefined

  const digestOf = (id: string): Digest => {
    if (last?.id === id) return last.digest
    const digest = hash(id)
    // All zeros mark a free slot.
    last = { id, digest: digest.high === 0 && digest.low === 0 ? { high: 0, low: 1 } : digest }
    return last.digest
  }

  const grow = (): void => {
    const before = table
    table = new Uint32Array(before.length * 2)
    size = 0
    restore(before)
  }

  const record = (slot: number, id: Digest, content: Digest): void => {
    table[slot] = id.high
    table[slot + 1] = id.low
    table[slot + 2] = content.high
    table[slot + 3] = content.low
    size += 1
    if (size * width * 3 > table.length * 2) grow()
  }

  const restore = (recorded: Uint32Array): void => {
    for (let i = 0; i + width <= recorded.length; i += width) {
      if (!isHeld(recorded, i)) continue
      const id = digestAt(recorded, i)
      const slot = slotOf(table, id)
      if (!isHeld(table, slot)) record(slot, id, digestAt(recorded, i + 2))
    }
  }

  const verdictAt = (slot: number, content: Digest): IdVerdict =>
    table[slot + 2] === content.high && table[slot + 3] === content.low ? 'same' : 'other'

  return {
    look(id, content) {
      const slot = slotOf(table, digestOf(id))
      return isHeld(table, slot) ? verdictAt(slot, hash(content)) : 'new'
    },
    has: (id) => isHeld(table, slotOf(table, digestOf(id))),
    note(id, content) {
      const key = digestOf(id)
      const slot = slotOf(table, key)
      const digest = hash(content)
      if (isHeld(table, slot)) return verdictAt(slot, digest)
      record(slot, key, digest)
      if (journal) fresh.push(key.high, key.low, digest.high, digest.low)
      return 'new'
    },
    get noted() {
      return drained + fresh.length / width
    },
    get bytes() {
      return table.byteLength
    },
    drain(upTo) {
      const taken = fresh.slice(0, Math.max(0, upTo - drained) * width)
      fresh = fresh.slice(taken.length)
      drained += taken.length / width
      return Uint32Array.from(taken)
    },
    dump(upTo) {
      const later = new Set<number>()
      for (let i = Math.max(0, upTo - drained) * width; i < fresh.length; i += width)
        later.add(slotOf(table, digestAt(fresh, i)))
      const dumped = new Uint32Array((size - later.size) * width)
      let at = 0
      for (let slot = 0; slot < table.length; slot += width) {
        if (!isHeld(table, slot) || later.has(slot)) continue
        dumped.set(table.subarray(slot, slot + width), at)
        at += width
      }
      return dumped
    },
    restore,
  }
}

/** Where a digest is, or would be. */
function slotOf(table: Uint32Array, { high, low }: Digest): number {
  const mask = table.length / width - 1
  for (let slot = low & mask; ; slot = (slot + 1) & mask) {
    const at = slot * width
    if (!isHeld(table, at) || (table[at] === high && table[at + 1] === low)) return at
  }
}

function digestAt(numbers: Uint32Array | readonly number[], at: number): Digest {
  return { high: numbers[at] ?? 0, low: numbers[at + 1] ?? 0 }
}

function isHeld(table: Uint32Array, slot: number): boolean {
  return table[slot] !== 0 || table[slot + 1] !== 0
}
