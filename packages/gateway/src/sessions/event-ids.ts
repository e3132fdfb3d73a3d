import { createIdIndex } from '@sluice/protocol'

/** The event ids of a session, with what stood under them. */
export interface EventIds {
  /** `same`: an event of this id with these bytes is stored. `other`: the id is taken, by other bytes only. */
  look(id: string, text: string): 'new' | 'same' | 'other'
  /** An event on its way to the log: known, and in no checkpoint until it is noted. */
  stage(id: string, text: string): void
  /** An event that is stored. */
  note(id: string, text: string): void
  fresh(): readonly number[]
  all(): readonly number[]
  restore(recorded: readonly number[]): void
}

export function createEventIds(): EventIds {
  const index = createIdIndex({ journal: true })
  // A second event under a taken id is known by id and bytes together. No JSON text holds a NUL.
  const variant = (id: string, text: string): string => `${id}\0${text}`
  const staged = new Map<string, string[]>()

  const unstage = (id: string, text: string): void => {
    const texts = staged.get(id)?.filter((other) => other !== text) ?? []
    if (texts.length === 0) staged.delete(id)
    else staged.set(id, texts)
  }

  return {
    look(id, text) {
      const waiting = staged.size === 0 ? undefined : staged.get(id)
      if (waiting?.includes(text) === true) return 'same'
      const verdict = index.look(id, text)
      if (verdict === 'new') return waiting === undefined ? 'new' : 'other'
      return verdict === 'other' && index.has(variant(id, text)) ? 'same' : verdict
    },
    stage(id, text) {
      const waiting = staged.get(id)
      if (waiting === undefined) staged.set(id, [text])
      else waiting.push(text)
    },
    note(id, text) {
      if (staged.size > 0) unstage(id, text)
      if (index.note(id, text) === 'other') index.note(variant(id, text), '')
    },
    fresh: () => index.drain(),
    all: () => index.dump(),
    restore: (recorded) => index.restore(recorded),
  }
}
