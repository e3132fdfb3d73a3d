import { createIdIndex } from '@sluice/protocol'

/** The event ids of a session, with what stood under them. */
export interface EventIds {
  /** `same`: an event of this id with these bytes is stored. `other`: the id is taken, by other bytes only. */
  look(id: string, text: string): 'new' | 'same' | 'other'
  note(id: string, text: string): void
  /** A mark behind all that was noted so far: what was noted by an append is kept only once that is durable. */
  readonly mark: number
  /** Those noted since the last call, up to a mark. */
  fresh(mark: number): readonly number[]
  /** All of them up to a mark. */
  all(mark: number): readonly number[]
  restore(recorded: readonly number[]): void
}

export function createEventIds(): EventIds {
  const index = createIdIndex({ journal: true })
  // A second event under a taken id is known by id and bytes together. No JSON text holds a NUL.
  const variant = (id: string, text: string): string => `${id}\0${text}`
  return {
    look(id, text) {
      const verdict = index.look(id, text)
      return verdict === 'other' && index.has(variant(id, text)) ? 'same' : verdict
    },
    note(id, text) {
      if (index.note(id, text) === 'other') index.note(variant(id, text), '')
    },
    get mark() {
      return index.noted
    },
    fresh: (mark) => index.drain(mark),
    all: (mark) => index.dump(mark),
    restore: (recorded) => index.restore(recorded),
  }
}
