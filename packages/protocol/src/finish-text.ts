import type { SluiceEvent } from './events.ts'
import { restAfter } from './rest-after.ts'
import type { SessionState } from './session-state.ts'
import { tableGet } from './table.ts'

/**
 * The events for a final message that repeats the whole text of an answer. It is compared, never appended: if
 * it equals the streamed text, it ends that text; otherwise it replaces it. `text` is well-formed; `isSame`
 * decides whether it counts as equal to a streamed text with this beginning (see window.ts). The last event
 * ends the text.
 */
export function finishText(
  session: SessionState,
  output: string,
  text: string,
  isSame: (streamed: string) => boolean = () => false,
): readonly SluiceEvent[] {
  const before = tableGet(session.outputs, output)
  const isKnown = before !== undefined && before.take >= 0
  const take = isKnown ? before.take : 0
  const end: SluiceEvent = { kind: 'text-end', output, take }
  if (isKnown && before.open) {
    // Half of a surrogate pair that is still held becomes U+FFFD when the text ends.
    const streamed = before.held === undefined ? before : { ...before, held: '\ufffd' }
    const beginning = before.omitted === 0 ? before.text + (streamed.held ?? '') : (before.head ?? '')
    if (restAfter(streamed, text) === '' || isSame(beginning)) return [end]
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
