/** What an index knows about an id: nothing, the same content, or other content. */
export type IdVerdict = 'new' | 'same' | 'other'

/** Remembers ids and hashes of their content, in twelve bytes per slot. Grows by itself. */
export interface IdIndex {
  /** Returns what is known about `id` and records nothing. */
  look(id: string, content: string): IdVerdict
  /** Records `id` with its `content` unless it is known; returns what was known. */
  note(id: string, content: string): IdVerdict
  has(id: string): boolean
  /** The number of ids that note() has recorded, if `journal` is set. */
  readonly noted: number
  /** The ids recorded since the last call, up to the `upTo`-th, for restore(): two numbers per id. */
  drain(upTo: number): readonly number[]
  /** All recorded ids except those after the `upTo`-th, for restore(). */
  dump(upTo: number): readonly number[]
  restore(recorded: readonly number[]): void
}

const firstCapacity = 64

/**
 * An index over 53-bit hashes of ids: with ten million ids, the odds of mistaking a new one for a known one
 * are 1 in 180.
 */
export function createIdIndex(options: { readonly journal?: boolean } = {}): IdIndex {
  let keys = new Float64Array(firstCapacity)
  let contents = new Uint32Array(firstCapacity)
  let size = 0
  let fresh: number[] = []
  let drained = 0

  const slotOf = (table: Float64Array, key: number): number => {
    const mask = table.length - 1
    let slot = (key >>> 0) & mask
    for (let held = table[slot]; held !== 0 && held !== key; held = table[slot]) slot = (slot + 1) & mask
    return slot
  }

  const grow = (): void => {
    const wider = new Float64Array(keys.length * 2)
    const widerContents = new Uint32Array(keys.length * 2)
    for (const [index, key] of keys.entries()) {
      if (key === 0) continue
      const slot = slotOf(wider, key)
      wider[slot] = key
      widerContents[slot] = contents[index] ?? 0
    }
    keys = wider
    contents = widerContents
  }

  const record = (key: number, hash: number): void => {
    const slot = slotOf(keys, key)
    if (keys[slot] === key) return
    keys[slot] = key
    contents[slot] = hash
    size += 1
    if (size * 3 > keys.length * 2) grow()
  }

  return {
    look: (id, content) => {
      const key = keyOf(id)
      const slot = slotOf(keys, key)
      if (keys[slot] !== key) return 'new'
      return contents[slot] === hashOf(content, 0x811c9dc5) ? 'same' : 'other'
    },
    has: (id) => {
      const key = keyOf(id)
      return keys[slotOf(keys, key)] === key
    },
    note(id, content) {
      const key = keyOf(id)
      const slot = slotOf(keys, key)
      const hash = hashOf(content, 0x811c9dc5)
      if (keys[slot] === key) return contents[slot] === hash ? 'same' : 'other'
      record(key, hash)
      if (options.journal === true) fresh.push(key, hash)
      return 'new'
    },
    get noted() {
      return drained + fresh.length / 2
    },
    drain(upTo) {
      const taken = fresh.slice(0, Math.max(0, upTo - drained) * 2)
      fresh = fresh.slice(taken.length)
      drained += taken.length / 2
      return taken
    },
    dump(upTo) {
      const later = new Set<number>()
      for (let i = Math.max(0, upTo - drained) * 2; i < fresh.length; i += 2) later.add(fresh[i] ?? 0)
      const dumped: number[] = []
      for (const [slot, key] of keys.entries())
        if (key !== 0 && !later.has(key)) dumped.push(key, contents[slot] ?? 0)
      return dumped
    },
    restore(recorded) {
      for (let i = 0; i + 1 < recorded.length; i += 2) record(recorded[i] ?? 0, recorded[i + 1] ?? 0)
    },
  }
}

/** 53 bits, never 0, which marks a free slot. */
function keyOf(id: string): number {
  return (hashOf(id, 0x9e3779b9) & 0x1fffff) * 4294967296 + hashOf(id, 0x811c9dc5) + 1
}

function hashOf(text: string, seed: number): number {
  let hash = seed
  // Two characters per step: an event has hundreds of them.
  const even = text.length & ~1
  for (let i = 0; i < even; i += 2)
    hash = Math.imul(hash ^ (text.charCodeAt(i) | (text.charCodeAt(i + 1) << 16)), 16777619)
  if (even < text.length) hash = Math.imul(hash ^ text.charCodeAt(even), 16777619)
  // FNV alone leaves the last characters in the low bits.
  hash ^= hash >>> 15
  hash = Math.imul(hash, 0x2c1b3c6d)
  return (hash ^ (hash >>> 13)) >>> 0
}
