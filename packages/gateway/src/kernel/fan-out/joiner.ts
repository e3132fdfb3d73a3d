import { type EventPlace, placeAfter, type SluiceEvent, unitsOf } from '@sluice/protocol'
import { createSegmenter, type SegmentUnit } from '@sluice/protocol/segment'
import {
  divideHeld,
  extendHeld,
  type Held,
  isSameText,
  type Joined,
  toJoined,
  toPart,
  withoutContent,
} from './held-text.ts'

/** How pieces of text are joined: up to a boundary, or all within a span of time. */
export type Coalescing = { readonly unit: SegmentUnit } | { readonly spanMs: number }

export interface JoinStep {
  readonly held: Held | undefined
  readonly joined: readonly Joined[]
}

/** Held text longer than this is sent without a boundary. */
const maxHeldCharacters = 4096

/**
 * Adds an entry and returns what can be sent. It depends only on held text and the entry, so that a reader
 * that joins after sent text gets the same frames as all others. With `part`, only the rest of the entry is left.
 */
export function joinEntry(
  coalescing: Coalescing,
  before: Held | undefined,
  { entry, part }: Joined,
): JoinStep {
  const joined: Joined[] = []
  const span = 'spanMs' in coalescing ? Math.floor(entry.at / coalescing.spanMs) : 0
  let held = before
  const flush = (): void => {
    if (held !== undefined) joined.push(toJoined(held))
    held = undefined
  }
  if (held !== undefined && held.span !== span) flush()
  if (!entry.events.some((event) => event.kind === 'text-delta')) {
    flush()
    joined.push(part === undefined ? { entry, part } : toPart(entry, entry.events, part))
    return { held, joined }
  }
  let place: EventPlace = { units: part?.from ?? 0, empty: part?.empty ?? 0 }
  let passed: SluiceEvent[] = []
  let passedFrom = place
  const head = withoutContent(entry)
  const pass = (isLast: boolean): void => {
    const { units: from, empty } = passedFrom
    if (passed.length > 0) joined.push(toPart(entry, passed, { from, empty, isInner: !isLast }))
    passed = []
  }
  for (const [index, event] of entry.events.entries()) {
    const isLast = index === entry.events.length - 1
    // An empty delta adds nothing, and a cursor before it could not show whether it was joined.
    const isHeld = event.kind === 'text-delta' && event.text !== ''
    if (!isHeld) {
      flush()
      if (passed.length === 0) passedFrom = place
      passed.push(event)
      place = placeAfter(place, event)
      continue
    }
    pass(false)
    if (held !== undefined && !isSameText(held.pieces[0].delta, event)) flush()
    const piece = {
      entry: head,
      delta: event,
      text: event.text,
      from: place.units,
      empty: place.empty,
      units: unitsOf(event),
      offset: 0,
      isTail: true,
      isLast,
    }
    held = extendHeld(held, piece, span)
    place = placeAfter(place, event)
    const cut = cutOf(coalescing, held)
    if (cut === held.characters) flush()
    else if (cut > 0) {
      const [head, tail] = divideHeld(held, cut)
      joined.push(toJoined(head))
      held = tail
    }
  }
  pass(true)
  return { held, joined }
}

/** Held text that is sent without further waiting. */
export function flushHeld(held: Held): Joined {
  return toJoined(held)
}

/** When the span of held text ends, ms since 1970; undefined if the text waits for a boundary. */
export function endOfSpan(coalescing: Coalescing, held: Held): number | undefined {
  return 'spanMs' in coalescing ? (held.span + 1) * coalescing.spanMs : undefined
}

/** How many characters of the held text can be sent. */
function cutOf(coalescing: Coalescing, { pieces, characters }: Held): number {
  const isTooLong = characters > maxHeldCharacters
  if (!('unit' in coalescing)) return isTooLong ? characters : 0
  const text = pieces.map((piece) => piece.text).join('')
  const last = createSegmenter(pieces[0].delta.language).split(text, coalescing.unit).at(-1) ?? ''
  const final = text.length - last.length
  return final === 0 && isTooLong ? characters : final
}
