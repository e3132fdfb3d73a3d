import type { Caller, SessionTarget } from '../../access/caller.ts'

/** A client that can answer questions. */
export interface Answerer {
  /** Whether the questions of a session reach it, and it may answer them. */
  reaches(session: SessionTarget): boolean
}

/** A client's place among those who can answer. */
export interface AnswererPlace {
  /**
   * It closed and answers nothing more: what nobody else can answer and is rejected by default is rejected, as far as
   * the one who closed it may answer. Rejects as an append does.
   */
  leave(by: Caller): Promise<void>
  /** It is forgotten, and questions wait for their time. */
  drop(): void
}

/** Those who can answer, as far as they said so. Who lost its connection is still among them: it may come back. */
export interface Answerers {
  enrol(answerer: Answerer): AnswererPlace
  canAnswer(session: SessionTarget): boolean
  /** Tells whenever somebody came or went, until the answer is called. */
  onChange(listener: () => void): () => void
}

/** `onLeft` learns that somebody has left, after the departure; `reaches` is what that one could have answered. */
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
