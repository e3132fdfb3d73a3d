import { fill, fillPlural } from '../phrases/fill.ts'
import type { NarrationPhrases } from '../phrases/narration-phrases.ts'
import { toSpokenLine } from '../spoken-text.ts'
import type { OpenQuestion } from './open-question.ts'

export interface TellQuestion {
  readonly phrases: NarrationPhrases
  /** Explains in sentences how to answer here; empty if that is impossible. */
  readonly hints: readonly string[]
  /** Another question must be answered first. */
  readonly isNext: boolean
  readonly isTerse: boolean
}

/** A question with all that a person needs to answer it, except for the time left. */
export function tellQuestion(question: OpenQuestion, given: TellQuestion): string {
  const { phrases, hints, isNext, isTerse } = given
  const { event } = question
  const isConfirmation = event.type === 'aaep:agent.awaiting.confirmation'
  const asked = toSentence(isConfirmation ? event.action : event.question, phrases)
  return [
    fill(isNext ? phrases.nextQuestion : phrases.question, { text: asked }),
    ...(isConfirmation
      ? [fill(phrases.consequence, { text: toSentence(event.consequence, phrases) })]
      : event.context === undefined || isTerse
        ? []
        : [toSentence(event.context, phrases)]),
    ...(isConfirmation && isIrreversible(event) ? [phrases.cannotUndo] : []),
    ...question.choices.map(({ label }, index) =>
      fill(phrases.choice, { n: index + 1, text: toSpokenLine(label).replace(/[.。]$/, '') }),
    ),
    ...(isNext ? [] : hints),
    ...(isTerse ? [] : tellDefault(question, phrases)),
  ].join(' ')
}

function isIrreversible(event: {
  readonly irreversible?: boolean
  readonly reversibility?: string
}): boolean {
  return event.irreversible === true || event.reversibility === 'irreversible'
}

function tellDefault({ event, deadlineMs }: OpenQuestion, phrases: NarrationPhrases): readonly string[] {
  if (deadlineMs === undefined) return []
  if (event.type === 'aaep:agent.awaiting.confirmation')
    return [fill(phrases.byDefault, { text: phrases[event.default_decision] })]
  const text = toSpokenLine(event.default_response ?? '')
  return text === '' ? [] : [fill(phrases.byDefault, { text })]
}

/** Such as `2 minutes left.`; empty if no time was set or none is left. */
export function tellTimeLeft(
  { deadlineMs, event }: OpenQuestion,
  nowMs: number,
  phrases: NarrationPhrases,
): string {
  if (deadlineMs === undefined) return ''
  // The clocks of two machines may differ, so this never exceeds the time that was given.
  const seconds = Math.min(event.timeout_seconds, Math.round((deadlineMs - nowMs) / 1000))
  if (seconds <= 0) return ''
  const { language } = phrases
  if (seconds < 120) return fillPlural(phrases.secondsLeft, seconds, language)
  if (seconds < 7200) return fillPlural(phrases.minutesLeft, Math.floor(seconds / 60), language)
  return fillPlural(phrases.hoursLeft, Math.floor(seconds / 3600), language)
}

/** Somebody else's text as a complete sentence. */
export function toSentence(text: string, phrases: NarrationPhrases): string {
  const line = toSpokenLine(text)
  return line === '' || /[.!?…。！？؟:：]["'”’»)\]]*$/u.test(line) ? line : line + phrases.stop
}
