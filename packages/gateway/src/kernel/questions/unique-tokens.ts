import {
  type QuestionOpen,
  type QuestionState,
  type SessionState,
  type SluiceEvent,
  tableGet,
  tableValues,
} from '@sluice/protocol'
import { agentTokenOf, notesOf, withNotes } from './question-notes.ts'
import { mintToken } from './question-tokens.ts'

/** Whether another session has this token, or had it a short while ago. */
export type IsTaken = (token: string) => boolean

/**
 * Events whose questions have tokens that are unique across sessions: one whose token another session has gets a minted
 * one, and what its agent says about it later under its own token is understood
 * (docs/decisions/0010-unique-tokens.md). The given events where no token had to be replaced.
 */
export function withUniqueEvents(
  given: readonly SluiceEvent[],
  session: SessionState,
  isTaken: IsTaken,
): readonly SluiceEvent[] {
  if (!given.some(isOfQuestion)) return given
  const here = new Map<string, string>()
  const events = given.map((event, index): SluiceEvent => {
    if (event.kind === 'question-close') {
      const token = here.get(event.token) ?? openTokenOf(session, event.token)
      return token === event.token ? event : { ...event, token }
    }
    if (event.kind !== 'question-open') return event
    const known = here.get(event.token) ?? openingToken(session, event.token)
    if (known === event.token || (known === undefined && !isTaken(event.token))) return event
    const token = known ?? mintToken(session.id, session.seq + 1, index, isTaken)
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

/** Under which token the session keeps a question that its agent opens as `token`, if it does already. */
function openingToken(session: SessionState, token: string): string | undefined {
  if (tableGet(session.questions, token) !== undefined) return token
  return tableValues(session.questions).find(({ opened }) => agentTokenOf(opened) === token)?.opened.token
}

/** The question that `token` names: by its own token, or by that of its agent. */
export function questionOf(session: SessionState, token: string): QuestionState | undefined {
  return (
    tableGet(session.questions, token) ??
    tableValues(session.questions).findLast(({ opened }) => agentTokenOf(opened) === token)
  )
}

/** The token of the open question that `token` names: its own, its agent's, or the one before it was asked again. */
function openTokenOf(session: SessionState, token: string): string {
  const known = tableGet(session.questions, token)
  if (known !== undefined && known.closed === undefined) return token
  const meant = tableValues(session.questions).find(
    ({ opened, closed }) => closed === undefined && agentTokenOf(opened) === token,
  )
  return meant?.opened.token ?? token
}
