import type { RetentionRule } from '../log.ts'

export interface EndedSession {
  readonly session: string
  readonly bytes: number
  readonly endedAt: number
}

/** The sessions to remove. `ended` is all ended sessions, earliest end first. */
export function* chooseToRetire(
  ended: Iterable<EndedSession>,
  totalBytes: number,
  { endedBefore = Number.NEGATIVE_INFINITY, maxBytes = Number.POSITIVE_INFINITY }: RetentionRule,
): Generator<string> {
  let left = totalBytes
  for (const { session, bytes, endedAt } of ended) {
    if (endedAt >= endedBefore && left <= maxBytes) return
    left -= bytes
    yield session
  }
}
