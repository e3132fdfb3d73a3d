/** A client that can answer questions. */
export interface Answerer {
  /** Whether the questions of a session reach it. */
  reaches(session: string): boolean
}

/** A client's place among those who can answer. */
export interface AnswererPlace {
  /**
   * It closed and answers no more: what nobody else can answer and is rejected by default is rejected. Rejects as an
   * append does.
   */
  leave(): Promise<void>
  /** It is forgotten, and questions wait for their time. */
  drop(): void
}

/** Those who can answer, as far as they said so. Who lost its connection is still among them: it may come back. */
export interface Answerers {
  enrol(answerer: Answerer): AnswererPlace
  canAnswer(session: string): boolean
  /** Tells whenever somebody came or went, until the answer is called. */
  onChange(listener: () => void): () => void
}

/** `onLeft` is told who has left, once it is not among them any more. */
export function createAnswerers(onLeft: (answerer: Answerer) => Promise<void>): Answerers {
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
        async leave() {
          if (remove(answerer)) await onLeft(answerer)
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
