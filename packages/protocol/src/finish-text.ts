import type { SluiceEvent } from './events.ts'
import { restAfter } from './rest-after.ts'
import type { SessionState } from './session-state.ts'
import { tableGet } from './table.ts'

/** A message that repeats the whole text of an output. */
export interface FinalText {
  readonly output: string
  /** Well-formed. */
  readonly text: string
  /** Whether it counts as equal to a streamed text with this beginning (see window.ts). */
  isSame?(streamed: string): boolean
}

/**
 * The events for a final text. It is compared, never appended: if it equals the streamed text, it ends that text;
 * otherwise it replaces it. The last event ends the text.
 */
export function finishText(session: SessionState, final: FinalText): readonly SluiceEvent[] {
  const { output, text } = final
  const before = tableGet(session.outputs, output)
  const isKnown = before !== undefined && before.take >= 0
  const take = isKnown ? before.take : 0
  const end: SluiceEvent = { kind: 'text-end', output, take }
  if (isKnown && before.open) {
    // Half of a surrogate pair that is still held becomes U+FFFD when the text ends.
    const streamed = before.held === undefined ? before : { ...before, held: '\ufffd' }
    const beginning = before.omitted === 0 ? before.text + (streamed.held ?? '') : (before.head ?? '')
    if (restAfter(streamed, text) === '' || final.isSame?.(beginning) === true) return [end]
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
