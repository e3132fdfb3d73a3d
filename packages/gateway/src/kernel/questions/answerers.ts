import type { Caller, SessionTarget } from '../../access/caller.ts'

/** A client that can answer questions. */
export interface Answerer {
  /** Whether it receives the questions of a session and may answer them. */
  reaches(session: SessionTarget): boolean
}

/** A client's place among the clients that can answer. */
export interface AnswererPlace {
  /**
   * Removes a client that will not answer again. Questions that nobody else can answer and whose default is
   * to reject are then rejected, if `by` may answer them. Rejects if the append fails.
   */
  leave(by: Caller): Promise<void>
  /** Removes the client; open questions wait until they time out. */
  drop(): void
}

/**
 * The clients that have declared that they can answer. A client that lost its connection stays: it may
 * reconnect.
 */
export interface Answerers {
  enrol(answerer: Answerer): AnswererPlace
  canAnswer(session: SessionTarget): boolean
  /** Calls the listener whenever a client is added or removed, until the returned function is called. */
  onChange(listener: () => void): () => void
}

/** `onLeft` is called after a client has left; `reaches` matches the sessions that it could answer in. */
export function createAnswerers(onLeft: (reaches: Answerer['reaches']) => Promise<void>): Answerers {
  const enrolled = new Set<Answerer>()
  const listeners = new Set<() => void>()
  const tell = (): void => {
    for (const listener of listeners) listener()
  }
  const remove = (answerer: Answerer): boolean => {
    const wasThere = enrolled.delete(answerer)
    if (wasThere) tell()
    return wasThere
  }
  return {
    enrol(answerer) {
      enrolled.add(answerer)
      tell()
      return {
        async leave(by) {
          if (remove(answerer))
            await onLeft((session) => answerer.reaches(session) && by.can('answer', session))
        },
        drop() {
          remove(answerer)
        },
      }
    },
    canAnswer(session) {
      for (const answerer of enrolled) if (answerer.reaches(session)) return true
      return false
    },
    onChange(listener) {
      listeners.add(listener)
      return () => {
        listeners.delete(listener)
      }
    },
  }
}
