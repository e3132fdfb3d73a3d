import { dialects } from '@sluice/protocol/dialects'

/** One way to read a session. */
export interface ViewChoice {
  readonly dialect: string
  readonly coalesce?: string
}

export const coalescings = ['none', 'word', 'sentence', '40ms'] as const

/** Every dialect, read with this coalescing. */
export function viewsOf(coalescing: (typeof coalescings)[number]): readonly ViewChoice[] {
  return dialects.map(({ id }) => ({
    dialect: id,
    ...(coalescing === 'none' ? {} : { coalesce: coalescing }),
  }))
}

/** How many frames a dialect may need for joining: a reader of A2A first receives the task. */
export function maxJoiningOf({ dialect }: ViewChoice): number {
  return dialect.startsWith('a2a') ? 1 : 0
}
