import type { SluiceError } from '@sluice/protocol'

/** One utterance as it was announced. */
export interface Utterance {
  /** Counts from 1. */
  readonly id: number
  readonly text: string
  /** BCP 47. */
  readonly language: string
  /** Does not wait for earlier utterances. */
  readonly isCritical: boolean
}

/** The announcements of a session and their status. The same object until something changes. */
export interface AnnouncementsSnapshot {
  /** The last 200, oldest first. */
  readonly utterances: readonly Utterance[]
  /** Why the announcements stopped, or why a change of terms was refused. */
  readonly error: SluiceError | undefined
  /** The session has ended, and everything was announced. */
  readonly hasEnded: boolean
  /** A voice speaks, so live regions must be silent. */
  readonly isSpoken: boolean
  /** The voice could not speak, so live regions replace it. */
  readonly hasVoiceFailed: boolean
  /** Live regions announce the utterances after this id; the earlier ones were left to a voice. */
  readonly spokenUpTo: number
}

/** The snapshot as it changes; what React calls an external store. */
export interface AnnouncementList {
  subscribe(listener: () => void): () => void
  getSnapshot(): AnnouncementsSnapshot
  append(announcement: Omit<Utterance, 'id'>): void
  update(changes: Partial<Omit<AnnouncementsSnapshot, 'utterances'>>): void
}

const maxKept = 200

export function createAnnouncementList(): AnnouncementList {
  const listeners = new Set<() => void>()
  let lastId = 0
  let snapshot: AnnouncementsSnapshot = {
    utterances: [],
    error: undefined,
    hasEnded: false,
    isSpoken: false,
    hasVoiceFailed: false,
    spokenUpTo: 0,
  }

  function publish(next: AnnouncementsSnapshot): void {
    snapshot = next
    for (const listener of [...listeners]) listener()
  }

  return {
    subscribe(listener) {
      // The same function may listen twice, so each call has its own entry.
      const own = (): void => listener()
      listeners.add(own)
      return () => listeners.delete(own)
    },
    getSnapshot: () => snapshot,
    append(announcement) {
      lastId += 1
      const utterances = [...snapshot.utterances, { id: lastId, ...announcement }].slice(-maxKept)
      publish({ ...snapshot, utterances })
    },
    update(changes) {
      const next = { ...snapshot, ...changes }
      // Every key of `next` is one of a snapshot.
      const keys = Object.keys(next) as (keyof AnnouncementsSnapshot)[]
      if (keys.some((key) => next[key] !== snapshot[key])) publish(next)
    },
  }
}
