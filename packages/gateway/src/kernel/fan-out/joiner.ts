import { type Entry, type SluiceEvent, unitsOf } from '@sluice/protocol'
import { createSegmenter, type SegmentUnit } from '@sluice/protocol/segment'
import {
  divideHeld,
  extendHeld,
  type Held,
  isSameText,
  type Joined,
  toJoined,
  toPart,
  toPartial,
} from './held-text.ts'

/** How pieces of text are joined: until a boundary, or all that came in within a span of time. */
export type Coalescing = { readonly unit: SegmentUnit } | { readonly spanMs: number }

export interface JoinStep {
  readonly held: Held | undefined
  readonly joined: readonly Joined[]
}

/** Beyond this much text without a boundary it leaves anyway. */
const maxHeldCharacters = 4096

/**
 * Takes in one entry and tells what leaves. A pure function of the log: after text has left nothing of it is
 * remembered, so a reader who joins behind it goes on with the same frames.
 */
export function joinEntry(
  coalescing: Coalescing,
  before: Held | undefined,
  entry: Entry,
  from = 0,
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
    joined.push(
      from === 0 ? { entry, part: undefined } : { entry: toPartial(entry, entry.events), part: { from } },
    )
    return { held, joined }
  }
  let units = from
  let passed: SluiceEvent[] = []
  const passedFrom = (): number => units - passed.reduce((sum, event) => sum + unitsOf(event), 0)
  const pass = (isLast: boolean): void => {
    if (passed.length > 0) joined.push(toPart(entry, passed, passedFrom(), isLast))
    passed = []
  }
  for (const [index, event] of entry.events.entries()) {
    const isLast = index === entry.events.length - 1
    // Nothing is added by an empty one, and a cursor before it could not tell whether it was joined.
    const isHeld = event.kind === 'text-delta' && event.text !== ''
    if (!isHeld) {
      flush()
      passed.push(event)
      units += unitsOf(event)
      continue
    }
    pass(false)
    if (held !== undefined && !isSameText(held.pieces[0].delta, event)) flush()
    const piece = {
      entry,
      delta: event,
      text: event.text,
      from: units,
      units: unitsOf(event),
      offset: 0,
      isTail: true,
      isLast,
    }
    held = extendHeld(held, piece, span)
    units += piece.units
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

/** What leaves when held text need not wait any longer. */
export function flushHeld(held: Held): Joined {
  return toJoined(held)
}

/** When held text leaves by itself, ms since 1970; undefined when it waits for a boundary. */
export function heldUntil(coalescing: Coalescing, held: Held): number | undefined {
  return 'spanMs' in coalescing ? (held.span + 1) * coalescing.spanMs : undefined
}

/** How many characters of the held text may leave. */
function cutOf(coalescing: Coalescing, { pieces, characters }: Held): number {
  const isTooLong = characters > maxHeldCharacters
  if (!('unit' in coalescing)) return isTooLong ? characters : 0
  const text = pieces.map((piece) => piece.text).join('')
  const last = createSegmenter(pieces[0].delta.language).split(text, coalescing.unit).at(-1) ?? ''
  const final = text.length - last.length
  return final === 0 && isTooLong ? characters : final
}
