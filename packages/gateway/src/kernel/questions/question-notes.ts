import {
  isJsonObject,
  type JsonObject,
  type Meta,
  omitUndefined,
  type QuestionOpen,
  type SluiceEvent,
} from '@sluice/protocol'

/** The interface that an answer came through. */
export type AnswerVia = 'http' | 'ws' | 'aaep'

/**
 * The gateway's notes on events of a question, in `meta.ext.sluice`: `token`, the agent's own, if it differs;
 * `again` on a question that is asked once more, also the agent's own token, and on the close before it the
 * token that follows; `via` on an answer; `countdown`, the token, and `leftMs` on a notice of the remaining
 * time.
 */
export function notesOf(event: SluiceEvent): JsonObject {
  const notes = event.meta?.ext?.['sluice']
  return isJsonObject(notes) ? notes : {}
}

/** Notes that decide where an answer goes, or say who gave it. Only the gateway sets them. */
export const reservedNotes: readonly string[] = ['token', 'again', 'via']

/** Notes on how long an open question still waits. */
export const countdownNotes: readonly string[] = ['countdown', 'leftMs']

/** The same meta with these notes replacing the former ones; without any, the key is left out. */
export function withNotes(meta: Meta | undefined, notes: JsonObject): Meta {
  const { sluice: _before, ...others } = meta?.ext ?? {}
  const ext = Object.keys(notes).length === 0 ? others : { ...others, sluice: notes }
  const { ext: _ext, ...rest } = meta ?? {}
  return Object.keys(ext).length === 0 ? rest : { ...rest, ext }
}

/** The agent's own token of a question that it asked. */
export function agentTokenOf(opened: QuestionOpen): string {
  const { again, token } = notesOf(opened)
  if (typeof again === 'string') return again
  return typeof token === 'string' ? token : opened.token
}

/** The notes of a close, with the agent's own token for readers of the inputs. */
export function closeNotes(opened: QuestionOpen, via?: AnswerVia): JsonObject {
  const own = agentTokenOf(opened)
  return {
    ...omitUndefined({ via }),
    ...(own === opened.token ? {} : { token: own }),
  }
}

/** The token of the question whose countdown an event is. */
export function countdownOf(event: SluiceEvent): string | undefined {
  const { countdown } = event.kind === 'progress' ? notesOf(event) : {}
  return typeof countdown === 'string' ? countdown : undefined
}
