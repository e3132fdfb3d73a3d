import type { Inline } from '../blocks/block.ts'
import type { ReadInline } from '../blocks/work.ts'
import type { Definitions } from './definitions.ts'

/** Running text that the previous step read: most of it recurs unchanged. */
export type Recent = ReadonlyMap<string, { readonly definitions: Definitions; readonly inline: Inline }>

interface RecentReading {
  /** Reads text that no later step asks for. */
  readonly take: ReadInline
  /** Reads text that the next step asks for again. */
  readonly keep: ReadInline
  readonly kept: Recent
}

/** Reads running text with `readInline`, unless the previous step did. */
export function createRecent(before: Recent, readInline: ReadInline): RecentReading {
  const kept = new Map<string, { readonly definitions: Definitions; readonly inline: Inline }>()
  const take: ReadInline = (source, definitions) => {
    const known = before.get(source)
    return known?.definitions === definitions ? known.inline : readInline(source, definitions)
  }
  return {
    take,
    keep(source, definitions) {
      const inline = take(source, definitions)
      kept.set(source, { definitions, inline })
      return inline
    },
    kept,
  }
}
