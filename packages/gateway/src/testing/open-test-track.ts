import type { Entry } from '@sluice/protocol'
import type { Terms } from '../features/aaep/terms.ts'
import { createTrack, type Track, type TrackedSession } from '../features/aaep/track.ts'
import { openTestPacer, pacerOptions } from './pace-text.ts'

/** A session in memory that grows when it is told to. */
export interface GrowingSession extends TrackedSession {
  /** Appends entries and answers them. */
  grow(entries: readonly Entry[]): readonly Entry[]
  /** Nothing is left of it. */
  vanish(): void
  readonly reads: number
}

export function createGrowingSession(id = 'sess_paced'): GrowingSession {
  const entries: Entry[] = []
  let isGone = false
  let reads = 0
  return {
    id,
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

export interface TestTrack {
  readonly track: Track
  readonly session: GrowingSession
  readonly failures: readonly unknown[]
  /** How often it said that there is more. */
  readonly mores: number
}

/** A track from the start of a session, as a stream has one. `onMore` is told as well. */
export async function openTestTrack(
  options: {
    readonly terms?: Partial<Terms>
    readonly maxItems?: number
    readonly sliceBytes?: number
    readonly session?: GrowingSession
    readonly onMore?: () => void
  } = {},
): Promise<TestTrack> {
  const session = options.session ?? createGrowingSession()
  const failures: unknown[] = []
  let mores = 0
  const track = createTrack({
    session,
    pacer: await openTestPacer(pacerOptions(options.terms)),
    first: [],
    place: { seq: -1 },
    sliceBytes: options.sliceBytes ?? 65_536,
    ...(options.maxItems === undefined ? {} : { maxItems: options.maxItems }),
    onMore: () => {
      mores += 1
      options.onMore?.()
    },
    onFailed: (error) => failures.push(error),
    onClosed: () => {},
  })
  return {
    track,
    session,
    failures,
    get mores() {
      return mores
    },
  }
}
