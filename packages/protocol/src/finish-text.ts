import type { SluiceEvent } from './events.ts'
import type { SessionState } from './session-state.ts'
import { tableGet } from './table.ts'

/**
 * What a final message says that repeats the whole text of an answer: it is compared, never appended. Equal, it ends the
 * text; different, it replaces it. `text` is well-formed; `isSame` tells whether the streamed text counts as equal. The
 * last event ends the text.
 */
export function finishText(
  session: SessionState,
  output: string,
  text: string,
  isSame: (streamed: string) => boolean = (streamed) => streamed === text,
): readonly SluiceEvent[] {
  const before = tableGet(session.outputs, output)
  const isKnown = before !== undefined && before.take >= 0
  const take = isKnown ? before.take : 0
  const end: SluiceEvent = { kind: 'text-end', output, take }
  if (isKnown && before.open) {
    // Half a surrogate pair that still waits becomes a broken character when the text ends.
    const streamed = before.held === undefined ? before.text : `${before.text}\ufffd`
    if (isSame(streamed)) return [end]
  } else if (!isKnown && text === '') return [end]
  const delta: SluiceEvent = { kind: 'text-delta', output, take, text, position: 0, channel: 'answer' }
  if (!isKnown) return [delta, end]
  const next = take + 1
  return [
    { kind: 'text-reset', output, take: next, channel: 'answer' },
    { ...delta, take: next },
    { ...end, take: next },
  ]
}
