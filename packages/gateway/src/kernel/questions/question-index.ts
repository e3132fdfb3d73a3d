import { toReplyToken } from '@sluice/protocol/dialects'

export interface IndexedQuestion {
  readonly session: string
  readonly token: string
}

/** The open questions of all sessions, by session and by token. */
export interface QuestionIndex<Q extends IndexedQuestion> {
  readonly size: number
  set(question: Q): void
  get(session: string, token: string): Q | undefined
  /** Finds a question by its token, or by the AAEP form of the token, in any session. */
  find(token: string): Q | undefined
  of(session: string): readonly Q[]
  /** The sessions with an open question. */
  sessions(): readonly string[]
  remove(session: string, token: string): Q | undefined
  values(): Iterable<Q>
}

export function createQuestionIndex<Q extends IndexedQuestion>(): QuestionIndex<Q> {
  const bySession = new Map<string, Map<string, Q>>()
  const bySpelling = new Map<string, Q>()
  let size = 0

  const remove = (session: string, token: string): Q | undefined => {
    const own = bySession.get(session)
    const question = own?.get(token)
    if (own === undefined || question === undefined) return undefined
    size -= 1
    own.delete(token)
    if (own.size === 0) bySession.delete(session)
    const spelling = toReplyToken(token)
    if (bySpelling.get(spelling) === question) bySpelling.delete(spelling)
    return question
  }

  return {
    get size() {
      return size
    },
    set(question) {
      const { session, token } = question
      remove(session, token)
      const own = bySession.get(session) ?? new Map<string, Q>()
      bySession.set(session, own.set(token, question))
      bySpelling.set(toReplyToken(token), question)
      size += 1
    },
    get: (session, token) => bySession.get(session)?.get(token),
    // A derived form is never another token's own form: a token that looks derived gets a form derived from
    // it.
    find: (token) => bySpelling.get(token) ?? bySpelling.get(toReplyToken(token)),
    of: (session) => [...(bySession.get(session)?.values() ?? [])],
    sessions: () => [...bySession.keys()],
    remove,
    *values() {
      for (const own of bySession.values()) yield* own.values()
    },
  }
}
