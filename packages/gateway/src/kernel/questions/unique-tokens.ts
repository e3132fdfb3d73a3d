import {
  type QuestionOpen,
  type QuestionState,
  type SessionState,
  type SluiceEvent,
  tableGet,
  tablePick,
} from '@sluice/protocol'
import { agentTokenOf, notesOf, withNotes } from './question-notes.ts'
import { mintToken } from './question-tokens.ts'

/** Whether another session has this token, or had it recently. */
export type IsTaken = (token: string) => boolean

/**
 * Events whose questions have tokens that are unique across sessions: a token of another session is replaced
 * with a minted one, and later events in which the agent uses its own token are mapped to that
 * (docs/decisions/0010-unique-tokens.md). Returns the given events if no token had to be replaced.
 */
export function withUniqueEvents(
  given: readonly SluiceEvent[],
  session: SessionState,
  isTaken: IsTaken,
): readonly SluiceEvent[] {
  if (!given.some(isOfQuestion)) return given
  const here = new Map<string, string>()
  const events = given.map((event): SluiceEvent => {
    if (event.kind === 'question-close') {
      const token = here.get(event.token) ?? openTokenOf(session, event.token)
      return token === event.token ? event : { ...event, token }
    }
    if (event.kind !== 'question-open') return event
    const known = here.get(event.token) ?? openingToken(session, event.token)
    if (known === event.token || (known === undefined && !isTaken(event.token))) return event
    const token = known ?? mintToken([session.id, event.token], isTaken)
    here.set(event.token, token)
    return renamed(event, token)
  })
  return events.every((event, index) => event === given[index]) ? given : events
}

function isOfQuestion({ kind }: SluiceEvent): boolean {
  return kind === 'question-open' || kind === 'question-close'
}

function renamed(event: QuestionOpen, token: string): QuestionOpen {
  return { ...event, token, meta: withNotes(event.meta, { ...notesOf(event), token: event.token }) }
}

/** The session's token for a question that its agent opens as `token`, if it already has one. */
function openingToken(session: SessionState, token: string): string | undefined {
  return questionOf(session, token)?.opened.token
}

/** The question that `token` names: by its own token, or by that of its agent. */
export function questionOf(session: SessionState, token: string): QuestionState | undefined {
  // A minted token derives from the agent's, so a closed question is found without looking at all of them.
  return (
    tableGet(session.questions, token) ??
    openQuestionsOf(session).findLast(({ opened }) => agentTokenOf(opened) === token) ??
    tableGet(
      session.questions,
      mintToken([session.id, token], () => false),
    )
  )
}

function openQuestionsOf({ questions, open }: SessionState): readonly QuestionState[] {
  return tablePick(questions, open.questions)
}

/**
 * The token of the open question that `token` names: its own, its agent's, or the previous one if it was
 * asked again.
 */
function openTokenOf(session: SessionState, token: string): string {
  const known = tableGet(session.questions, token)
  if (known !== undefined && known.closed === undefined) return token
  const meant = openQuestionsOf(session).find(({ opened }) => agentTokenOf(opened) === token)
  return meant?.opened.token ?? token
}
