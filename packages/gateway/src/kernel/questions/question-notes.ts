import {
  isJsonObject,
  type JsonObject,
  type Meta,
  type QuestionOpen,
  type SluiceEvent,
} from '@sluice/protocol'

/** Over what an answer came. */
export type AnswerVia = 'http' | 'ws' | 'aaep'

/**
 * What the gateway notes on events of a question, in `meta.ext.sluice`:
 * `token`, the agent's own, where it is another one; `again` on a question that is asked once more, also the agent's
 * own token, and on the close before it the token that follows; `via` on an answer; `countdown`, the token, and
 * `leftMs` on a notice of the time that is left.
 */
export function notesOf(event: SluiceEvent): JsonObject {
  const notes = event.meta?.ext?.['sluice']
  return isJsonObject(notes) ? notes : {}
}

/** Notes that decide where an answer goes or who gave it. Nobody but the gateway sets them. */
export const reservedNotes: readonly string[] = ['token', 'again', 'via']

/** Notes on how long an open question still waits. */
export const countdownNotes: readonly string[] = ['countdown', 'leftMs']

/** The same meta with the notes in place of those that were there; without any the key is left out. */
export function withNotes(meta: Meta | undefined, notes: JsonObject): Meta {
  const { sluice: _before, ...others } = meta?.ext ?? {}
  const ext = Object.keys(notes).length === 0 ? others : { ...others, sluice: notes }
  const { ext: _ext, ...rest } = meta ?? {}
  return Object.keys(ext).length === 0 ? rest : { ...rest, ext }
}

/** The token by which the agent knows a question that it asked. */
export function agentTokenOf(opened: QuestionOpen): string {
  const { again, token } = notesOf(opened)
  if (typeof again === 'string') return again
  return typeof token === 'string' ? token : opened.token
}

/** The notes of a close: who reads the inputs is told of its own token. */
export function closeNotes(opened: QuestionOpen, via?: AnswerVia): JsonObject {
  const own = agentTokenOf(opened)
  return {
    ...(via === undefined ? {} : { via }),
    ...(own === opened.token ? {} : { token: own }),
  }
}

/** The token of the question whose countdown an event is. */
export function countdownOf(event: SluiceEvent): string | undefined {
  const { countdown } = event.kind === 'progress' ? notesOf(event) : {}
  return typeof countdown === 'string' ? countdown : undefined
}
