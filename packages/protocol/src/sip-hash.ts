/** 64 bits of a hash, as two unsigned halves. */
export interface Digest {
  readonly high: number
  readonly low: number
}

// Every platform has this object; this package loads no platform's types.
declare const crypto: { getRandomValues(array: Int32Array): Int32Array }

/**
 * SipHash-2-4 of the UTF-16LE bytes of a text (https://www.aumasson.jp/siphash/siphash.pdf), by default under
 * a random key: who does not know the key cannot make two texts with the same digest.
 */
export function createSipHash(
  key: Int32Array = crypto.getRandomValues(new Int32Array(4)),
): (text: string) => Digest {
  const [k0 = 0, k1 = 0, k2 = 0, k3 = 0] = key
  const initial = Int32Array.of(
    ...[k0 ^ 0x70736575, k1 ^ 0x736f6d65, k2 ^ 0x6e646f6d, k3 ^ 0x646f7261],
    ...[k0 ^ 0x6e657261, k1 ^ 0x6c796765, k2 ^ 0x79746573, k3 ^ 0x74656462],
  )
  const state = new Int32Array(8)
  return (text) => {
    state.set(initial)
    const units = text.length
    let at = 0
    for (; at + 4 <= units; at += 4)
      mix(
        state,
        text.charCodeAt(at) | (text.charCodeAt(at + 1) << 16),
        text.charCodeAt(at + 2) | (text.charCodeAt(at + 3) << 16),
      )
    const unit = (index: number): number => (index < units ? text.charCodeAt(index) : 0)
    // The last byte is the length in bytes.
    mix(state, unit(at) | (unit(at + 1) << 16), unit(at + 2) | (units << 25))
    state[4] = half(state, 4) ^ 0xff
    for (let i = 0; i < 4; i++) round(state)
    return { high: fold(state, 1), low: fold(state, 0) }
  }
}

function mix(state: Int32Array, low: number, high: number): void {
  state[6] = half(state, 6) ^ low
  state[7] = half(state, 7) ^ high
  round(state)
  round(state)
  state[0] = half(state, 0) ^ low
  state[1] = half(state, 1) ^ high
}

function half(state: Int32Array, index: number): number {
  return state[index] ?? 0
}

function fold(state: Int32Array, from: number): number {
  return (half(state, from) ^ half(state, from + 2) ^ half(state, from + 4) ^ half(state, from + 6)) >>> 0
}

/** One SipRound; v0 to v3 are pairs of halves, the low one first. */
function round(state: Int32Array): void {
  add(state, 0, 2)
  rotate(state, 2, 13)
  combine(state, 2, 0)
  swap(state, 0)
  add(state, 4, 6)
  rotate(state, 6, 16)
  combine(state, 6, 4)
  add(state, 0, 6)
  rotate(state, 6, 21)
  combine(state, 6, 0)
  add(state, 4, 2)
  rotate(state, 2, 17)
  combine(state, 2, 4)
  swap(state, 4)
}

function add(state: Int32Array, to: number, word: number): void {
  const before = half(state, to)
  const sum = (before + half(state, word)) | 0
  const carry = sum >>> 0 < before >>> 0 ? 1 : 0
  state[to] = sum
  state[to + 1] = half(state, to + 1) + half(state, word + 1) + carry
}

/** Rotates a word to the left, by less than 32 bits. */
function rotate(state: Int32Array, word: number, bits: number): void {
  const [low, high] = [half(state, word), half(state, word + 1)]
  state[word] = (low << bits) | (high >>> (32 - bits))
  state[word + 1] = (high << bits) | (low >>> (32 - bits))
}

function combine(state: Int32Array, to: number, word: number): void {
  state[to] = half(state, to) ^ half(state, word)
  state[to + 1] = half(state, to + 1) ^ half(state, word + 1)
}

/** Rotates a word by 32 bits. */
function swap(state: Int32Array, word: number): void {
  const low = half(state, word)
  state[word] = half(state, word + 1)
  state[word + 1] = low
}
