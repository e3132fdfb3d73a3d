import { encodeItem, encodeSilent } from './encode-item.ts'
import type { EndItem, OtherItem } from './item.ts'
import { full, type Paced, type PaceInput, type PartlyPaced } from './pace-step.ts'
import { toPaced } from './paced-frame.ts'
import { isForced, type Leaving, type Output, type PacerState, withWaiting } from './pacer.ts'
import { stepText } from './step-text.ts'
import { removeTail } from './tails.ts'
import { textKey } from './take-apart.ts'
import { isAllDroppable, isReplaced, removeFirst } from './waiting.ts'

/** Decides what to do at a time: send an event, wait for the rate, or wait for a time or another entry. */
export function stepPacer(before: PacerState, input: PaceInput): Paced {
  for (let state = before; ; ) {
    const paced = stepOnce(state, input)
    if (paced.step !== undefined) return { state: paced.state, step: paced.step }
    state = paced.state
  }
}

function stepOnce(state: PacerState, input: PaceInput): PartlyPaced {
  const { introduction, leaving } = state.output
  if (introduction !== undefined) return stepIntroduction(state, introduction, input)
  if (leaving !== undefined) return stepLeaving(state, leaving, input)
  const { first } = state.waiting.items
  if (first === undefined) return { state, step: { type: 'wait', until: Number.POSITIVE_INFINITY } }
  return first.type === 'text' ? stepText(state, first, input) : stepOther(state, first, input)
}

function stepIntroduction(
  state: PacerState,
  { frames }: NonNullable<Output['introduction']>,
  { isReady }: PaceInput,
): PartlyPaced {
  const { waiting, output } = state
  const [frame, ...rest] = frames
  if (frame === undefined)
    return { state: withWaiting(state, waiting, { ...output, introduction: undefined }), step: undefined }
  const isFree = frames.some((each) => each.isFree)
  if (!isFree && !isReady) return { state, step: full }
  const introduction = rest.length === 0 ? undefined : { frames: rest, place: frame.cursor }
  return {
    state: withWaiting(state, waiting, { ...output, introduction }),
    step: { type: 'emit', frame: { ...frame, isFree } },
  }
}

function stepLeaving(state: PacerState, leaving: Leaving, { isReady }: PaceInput): PartlyPaced {
  const { setup, waiting, urgentSeq, output } = state
  const { frames, index } = leaving
  const frame = frames[index]
  if (frame === undefined)
    return { state: withWaiting(state, waiting, withLeaving(output, undefined)), step: undefined }
  const { terms, tailor } = setup.options
  const next =
    leaving.next === undefined
      ? toPaced(frame, leaving, { terms, showsText: setup.showsText, tailor })
      : leaving.next
  const rest = index + 1 < frames.length ? { ...leaving, index: index + 1, next: undefined } : undefined
  const sent = withWaiting(state, waiting, withLeaving(output, rest, frame.cursor))
  if (next === null) return { state: sent, step: undefined }
  // Everything before a critical event is sent immediately, too.
  const isFree = next.isFree || waiting.totals.criticals > 0 || urgentSeq >= next.cursor.seq
  if (isFree || isReady)
    return { state: sent, step: { type: 'emit', frame: isFree === next.isFree ? next : { ...next, isFree } } }
  if (leaving.next !== undefined) return { state, step: full }
  return { state: withWaiting(state, waiting, withLeaving(output, { ...leaving, next })), step: full }
}

function withLeaving(output: Output, leaving: Leaving | undefined, cursor = output.cursor): Output {
  const { introduction, encoder, tails, nextTextAt } = output
  return { introduction, leaving, cursor, encoder, tails, nextTextAt }
}

function stepOther(state: PacerState, item: EndItem | OtherItem, { isReady }: PaceInput): PartlyPaced {
  const isNow = isForced(state, item)
  const isDropped = item.type === 'other' && isSuperfluous(state, item, { canSend: isReady || isNow })
  if (!isDropped && !isNow && !isReady) return { state, step: full }
  const waiting = removeFirst(state.waiting)
  if (isDropped) return { state: encodeSilent(withWaiting(state, waiting)), step: undefined }
  const { tails, nextTextAt } = state.output
  const encoded = encodeItem(state, {
    joined: item.joined,
    traits: {
      isText: false,
      isForced: isNow,
      isOutcome: item.joined.entry.events.some(({ kind }) => kind === 'question-close'),
    },
    waiting,
    tails: item.type === 'end' ? removeTail(tails, textKey(item.end.event)) : tails,
    nextTextAt,
  })
  return { state: encoded, step: undefined }
}

/** Whether the first item need not be sent: a later one replaces it, or the reader wants fewer events. */
function isSuperfluous(
  { waiting, setup }: PacerState,
  item: OtherItem,
  { canSend }: { readonly canSend: boolean },
): boolean {
  const { load } = setup.options.terms
  if (load !== 'high' && isReplaced(waiting, item)) return true
  return load === 'low' && item.isDroppable && (!canSend || !isAllDroppable(waiting))
}
