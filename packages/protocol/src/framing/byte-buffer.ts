// A larger buffer, grown for one big piece, is not kept for the small ones after it.
const keptCapacityBytes = 64 * 1024

/**
 * Collects a piece that spans chunks. Copies, because the owner of a chunk may reuse its memory. Once the
 * piece exceeds `maxBytes`, keeps nothing and only counts.
 */
export type ByteBuffer = {
  append(bytes: Uint8Array): void
  /** All bytes appended since the last clear, kept or not. */
  readonly length: number
  /** The bytes, valid until the next append or clear; empty once the bound is exceeded. */
  view(): Uint8Array
  clear(): void
}

export function createByteBuffer(maxBytes: number): ByteBuffer {
  let storage = new Uint8Array(0)
  let length = 0

  function grow(needed: number): void {
    const larger = new Uint8Array(Math.max(needed, Math.min(maxBytes, Math.max(1024, storage.length * 2))))
    larger.set(storage.subarray(0, length))
    storage = larger
  }

  return {
    append(bytes) {
      const needed = length + bytes.length
      if (needed > maxBytes) storage = new Uint8Array(0)
      else {
        if (needed > storage.length) grow(needed)
        storage.set(bytes, length)
      }
      length = needed
    },
    get length() {
      return length
    },
    view() {
      return length > maxBytes ? new Uint8Array(0) : storage.subarray(0, length)
    },
    clear() {
      length = 0
      if (storage.length > keptCapacityBytes) storage = new Uint8Array(0)
    },
  }
}
