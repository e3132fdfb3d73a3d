import { createIdIndex } from '@sluice/protocol'

/** The event ids of a session, with what was stored under them. */
export interface EventIds {
  /**
   * `same`: an event with this id and these bytes is stored. `other`: the id is taken, but only by other
   * bytes.
   */
  look(id: string, text: string): 'new' | 'same' | 'other'
  note(id: string, text: string): void
  /**
   * Marks all ids noted so far: those of an append are stored in a checkpoint only once the append is
   * durable.
   */
  readonly mark: number
  /** The ids noted since the last call, up to a mark. */
  fresh(mark: number): readonly number[]
  /** All ids up to a mark. */
  all(mark: number): readonly number[]
  restore(recorded: readonly number[]): void
}

export function createEventIds(): EventIds {
  const index = createIdIndex({ journal: true })
  // A second event under a taken id is recognized by id and bytes together. No JSON text contains NUL.
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
