import type { OutlineColumns } from '../../outline/outline-columns.ts'

interface SampleEntry {
  readonly at: number
  readonly characters?: number
  readonly delayMs?: number
}

/** Columns of the given entries, whose times may be in any order. */
export function sampleColumns(entries: readonly SampleEntry[]): OutlineColumns {
  return {
    count: entries.length,
    at: Float64Array.from(entries.map(({ at }) => at).sort((a, b) => a - b)),
    characters: Uint32Array.from(entries, ({ characters = 0 }) => characters),
    delayMs: Float64Array.from(entries, ({ delayMs = Number.NaN }) => delayMs),
    calls: [],
  }
}

/** Entries one millisecond apart, as many as the longest sessions have. */
export function manyColumns(count: number): OutlineColumns {
  const at = new Float64Array(count)
  const characters = new Uint32Array(count)
  const delayMs = new Float64Array(count)
  for (let seq = 0; seq < count; seq++) {
    at[seq] = 1_700_000_000_000 + seq
    characters[seq] = seq % 7
    delayMs[seq] = (seq * 7919) % 1000
  }
  return { count, at, characters, delayMs, calls: [] }
}
