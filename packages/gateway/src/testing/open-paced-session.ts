import { type Entry, omitUndefined } from '@sluice/protocol'
import {
  createPacedSession,
  type PacedSession,
  type ReadableSession,
} from '../features/aaep/paced-session.ts'
import type { Terms } from '../features/aaep/terms.ts'
import { pacerOptions, startTestPacing } from './pace-text.ts'

/** A session in memory that a test appends to. */
export interface GrowingSession extends ReadableSession {
  /** Appends entries and returns them. */
  grow(entries: readonly Entry[]): readonly Entry[]
  /** Deletes all entries. */
  vanish(): void
  readonly reads: number
}

/** Without `time`, the times of its entries are monotonic. */
export function createGrowingSession(
  id = 'sess_paced',
  time: GrowingSession['time'] = { toMonotonic: (at) => at },
): GrowingSession {
  const entries: Entry[] = []
  let isGone = false
  let reads = 0
  return {
    id,
    time,
    get lastSeq() {
      return entries.length - 1
    },
    get isEnded() {
      return entries.at(-1)?.events.some(({ kind }) => kind === 'session-end') ?? false
    },
    get reads() {
      return reads
    },
    async read(from, maxBytes) {
      reads += 1
      return isGone ? [] : entries.slice(from, from + Math.ceil(maxBytes / 100))
    },
    grow(more) {
      entries.push(...more)
      return more
    },
    vanish() {
      isGone = true
    },
  }
}

export interface TestPacedSession {
  readonly paced: PacedSession
  readonly session: GrowingSession
  readonly failures: readonly unknown[]
  /** How often `onMore` was called. */
  readonly mores: number
}

/** A session that is paced from its start, as a stream does it. */
export async function openPacedSession(
  options: {
    readonly terms?: Partial<Terms>
    readonly maxItems?: number
    readonly sliceBytes?: number
    readonly session?: GrowingSession
    readonly onMore?: () => void
  } = {},
): Promise<TestPacedSession> {
  const session = options.session ?? createGrowingSession()
  const failures: unknown[] = []
  let mores = 0
  const paced = createPacedSession({
    session,
    pacer: await startTestPacing(pacerOptions(options.terms)),
    sliceBytes: options.sliceBytes ?? 65_536,
    ...omitUndefined({ maxItems: options.maxItems }),
    onMore: () => {
      mores += 1
      options.onMore?.()
    },
    onFailed: (error) => failures.push(error),
    onClosed: () => {},
  })
  return {
    paced,
    session,
    failures,
    get mores() {
      return mores
    },
  }
}
