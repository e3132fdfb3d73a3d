import { encodeItem } from './encode-item.ts'
import { full, type PaceInput, type PartlyPaced } from './pace-step.ts'
import { isForced, type PacerState, withWaiting } from './pacer.ts'
import { itemAt } from './queue.ts'
import { extendTail, removeTail } from './tails.ts'
import { textKey } from './take-apart.ts'
import { edgeUnits } from './text-cutter.ts'
import { divideText, piecesOf, type TextItem, withFresh } from './text-item.ts'
import { isEndOf, joinText, patienceOf, planText, type TextPlan } from './text-plan.ts'
import { removeFirst, replaceText } from './waiting.ts'

/** The next text waits while the reader reads the previous one, but no longer than this. */
const maxReadingMs = 10_000

/** Sends as much as possible of the text at the front, or lets it wait. */
export function stepText(state: PacerState, item: TextItem, input: PaceInput): PartlyPaced {
  const { now, isReady, hasMore = false, toMonotonic = (at) => at } = input
  const isNow = isForced(state, item)
  if (!isNow && !isReady) return { state, step: full }
  const { waiting, setup, output } = state
  const { nextTextAt } = output
  const next = itemAt(waiting.items, 1)
  const hasEnd = next?.type === 'end' && isEndOf(next, item)
  const patience = patienceOf(hasEnd ? itemAt(waiting.items, 2) : next, toMonotonic)
  const isDue = isNow || next?.type === 'text' || now >= patience
  if (!isDue && now < nextTextAt)
    return { state, step: { type: 'wait', until: Math.min(nextTextAt, patience) } }
  const { terms, cutter } = setup.options
  const before = output.tails.get(textKey(item.head.delta)) ?? ''
  const situation = { item, before, next, terms, cutter, now, toMonotonic, isForced: isNow, hasMore }
  const plan = planText(situation)
  if (plan.type === 'leave') return { state: sendText(state, item, { plan, now }), step: undefined }
  const looked = withFresh(item, item.fresh.slice(-edgeUnits))
  return { state: withWaiting(state, replaceText(waiting, looked)), step: plan }
}

function sendText(
  state: PacerState,
  item: TextItem,
  {
    plan: { characters, hint, end },
    now,
  }: { readonly plan: Extract<TextPlan, { type: 'leave' }>; readonly now: number },
): PacerState {
  const isCut = characters < item.text.length
  const { before, after } = isCut
    ? divideText(item, characters)
    : { before: piecesOf(item), after: undefined }
  const text = isCut ? item.text.slice(0, characters) : item.text
  const left = after === undefined ? removeFirst(state.waiting) : replaceText(state.waiting, after)
  const { delta } = item.head
  const key = textKey(delta)
  const { tails, nextTextAt } = state.output
  const { paceWpm } = state.setup.options.terms
  return encodeItem(state, {
    joined: joinText(before, hint, end),
    traits: { isText: delta.channel === 'answer', isForced: isForced(state, item), isOutcome: false },
    waiting: end === undefined ? left : removeFirst(left),
    tails: end === undefined ? extendTail(tails, key, text) : removeTail(tails, key),
    nextTextAt: paceWpm === undefined ? nextTextAt : now + readingMs(text, paceWpm),
  })
}

function readingMs(text: string, paceWpm: number): number {
  return Math.min(maxReadingMs, (countWords(text) / paceWpm) * 60_000)
}

/** In scripts without spaces, two characters count as a word. */
function countWords(text: string): number {
  const spaced = text.split(/\s+/).filter((word) => word !== '').length
  const unspaced =
    text.match(/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/gu)?.length ?? 0
  return spaced + unspaced / 2
}
