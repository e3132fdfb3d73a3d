import { type JsonObject, type SessionState, tableGet } from '@sluice/protocol'

/** The output that stores the text of events without one. */
const mainOutput = 'main'

/**
 * The part of a chunk that the session does not have yet; undefined when there is none. A producer that joins
 * text may join it differently after a reconnect, so a chunk under another id may repeat text.
 */
export function skipKnownText(state: SessionState, chunk: JsonObject): JsonObject | undefined {
  const { chunk: text, position, output_id: output, complete } = chunk
  if (typeof text !== 'string' || typeof position !== 'number') return chunk
  const known = tableGet(state.outputs, typeof output === 'string' ? output : mainOutput)
  if (known === undefined || position >= known.length) return chunk
  const rest = [...text].slice(known.length - position).join('')
  if (rest === '' && !(complete === true && known.open)) return undefined
  return { ...chunk, chunk: rest, position: known.length }
}
