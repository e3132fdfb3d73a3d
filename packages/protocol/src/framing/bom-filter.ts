const bom = Uint8Array.of(0xef, 0xbb, 0xbf)
const nothing = new Uint8Array(0)

/** Drops a UTF-8 byte order mark at the very start of a stream, even if it is split over chunks. */
export type BomFilter = {
  push(chunk: Uint8Array): Uint8Array
  /** Returns the start of a mark that never became complete: ordinary bytes after all. */
  end(): Uint8Array
}

export function createBomFilter(): BomFilter {
  let matched = 0
  let settled = false
  return {
    push(chunk) {
      if (settled) return chunk
      const held = matched
      let at = 0
      while (at < chunk.length && matched < bom.length && chunk[at] === bom[matched]) {
        at++
        matched++
      }
      if (matched < bom.length && at === chunk.length) return nothing
      settled = true
      if (matched === bom.length) return chunk.subarray(at)
      if (held === 0) return chunk
      const joined = new Uint8Array(held + chunk.length)
      joined.set(bom.subarray(0, held))
      joined.set(chunk, held)
      return joined
    },
    end() {
      const rest = settled ? nothing : bom.subarray(0, matched)
      settled = true
      return rest
    },
  }
}
