import { type JsonObject, type SessionState, tableGet } from '@sluice/protocol'

/** Under which name the text of an event without an output is kept. */
const mainOutput = 'main'

/**
 * What of a chunk is not in the session yet; undefined when nothing is. A producer that joins text may join it otherwise
 * after a reconnect, so that a chunk under another id brings text that came before.
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
