import { createIdIndex } from '@sluice/protocol'

/** The event ids of a session, with what stood under them. */
export interface EventIds {
  /** `same`: an event of this id with these bytes is stored. `other`: the id is taken, by other bytes only. */
  look(id: string, text: string): 'new' | 'same' | 'other'
  note(id: string, text: string): void
  fresh(): readonly number[]
  all(): readonly number[]
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
    fresh: () => index.drain(),
    all: () => index.dump(),
    restore: (recorded) => index.restore(recorded),
  }
}
