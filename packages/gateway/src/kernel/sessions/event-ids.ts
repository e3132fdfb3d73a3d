import { hash, randomBytes } from 'node:crypto'
import { createIdIndex, type IdIndexOptions } from '@sluice/protocol'

/** Event ids in a form that a checkpoint stores. */
export interface RecordedIds {
  /** The key of their hashes. */
  readonly key: string
  readonly ids: Uint32Array
}

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
  fresh(mark: number): RecordedIds
  /** All ids up to a mark. */
  all(mark: number): RecordedIds
  /** The memory that they take. */
  readonly bytes: number
}

/** Starts with the recorded ids, and with their key; a session without any gets a new key. */
export function createEventIds(recorded?: RecordedIds): EventIds {
  const key = recorded?.key ?? randomBytes(keyBytes).toString('base64url')
  const index = createIdIndex({ hash: createKeyedHash(key), journal: true })
  if (recorded !== undefined) index.restore(recorded.ids)
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
    fresh: (mark) => ({ key, ids: index.drain(mark) }),
    all: (mark) => ({ key, ids: index.dump(mark) }),
    get bytes() {
      return index.bytes
    },
  }
}

/** As long as a block of SHA-256: 64 characters. */
const keyBytes = 48

/** 64 bits of SHA-256 after a secret key. For a text of 400 characters it is faster than any hash in JavaScript. */
function createKeyedHash(key: string): IdIndexOptions['hash'] {
  return (text) => {
    // UTF-8 makes all lone surrogates equal; only ids have any, as JSON escapes.
    const digest = text.isWellFormed()
      ? hash('sha256', key + text, 'binary')
      : hash('sha256', Buffer.from(key + text, 'utf16le'), 'binary')
    return { high: numberAt(digest, 0), low: numberAt(digest, 4) }
  }
}

function numberAt(digest: string, at: number): number {
  const byte = (offset: number): number => digest.charCodeAt(at + offset)
  return ((byte(0) << 24) | (byte(1) << 16) | (byte(2) << 8) | byte(3)) >>> 0
}
