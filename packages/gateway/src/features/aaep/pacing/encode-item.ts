import type { Joined } from '../../../kernel/fan-out/held-text.ts'
import { countDelivered, encodeJoined } from '../../../kernel/fan-out/position.ts'
import type { FrameTraits } from './paced-frame.ts'
import { type PacerState, withWaiting } from './pacer.ts'
import type { Tails } from './tails.ts'
import { takeSilent, type Waiting } from './waiting.ts'

/** An item, or a part of a text, to be encoded. */
export interface Encodable {
  readonly joined: Joined
  readonly traits: FrameTraits
  /** The items that are still waiting. */
  readonly waiting: Waiting
  /** `tails` and `nextTextAt` after this item. */
  readonly tails: Tails
  readonly nextTextAt: number
}

/** Encodes an item, so that its frames are sent next. */
export function encodeItem(state: PacerState, item: Encodable): PacerState {
  const { options, mint } = state.setup
  const { cursor, encoder: before } = state.output
  const { entry, part } = item.joined
  // Partial entries have no event id, and an id that another gateway minted would look like one of ours.
  const mintsId = options.mintsIds || entry.events.some(({ meta }) => meta?.id?.startsWith(mint))
  const joined = { entry, part: part ?? (mintsId ? { from: 0 } : undefined) }
  const { encoder, frames } = encodeJoined(options.spec, before, [joined])
  // A session that was joined inside an event continues after the frames of it that were delivered.
  const index = cursor.frames === undefined ? 0 : countDelivered(frames, cursor)
  const { isText, isForced, isOutcome } = item.traits
  const leaving = { frames, index, next: undefined, joined, before, isText, isForced, isOutcome }
  const encoded = withWaiting(state, item.waiting, {
    introduction: undefined,
    leaving: index < frames.length ? leaving : undefined,
    cursor,
    encoder,
    tails: item.tails,
    nextTextAt: item.nextTextAt,
  })
  return encodeSilent(encoded)
}

/** Shows the encoder the hidden events whose turn has come. */
export function encodeSilent(state: PacerState): PacerState {
  const { waiting, due } = takeSilent(state.waiting)
  if (due.length === 0) return state
  const { output, setup } = state
  const { encoder } = encodeJoined(setup.options.spec, output.encoder, due)
  return withWaiting(state, waiting, { ...output, encoder })
}
