import type { Entry, EntryPart } from '@sluice/protocol'
import { encodeSilent } from './encode-item.ts'
import { countWaiting, type PacerState } from './pacer.ts'
import { takeApart } from './take-apart.ts'
import { plainPiece } from './text-item.ts'
import { addItem, addSilent, extendLast } from './waiting.ts'

/** Adds the next entry of the log; with `part`, only the rest of it. */
export function addEntry(state: PacerState, entry: Entry, part?: EntryPart): PacerState {
  const { setup, urgentSeq, intake, output } = state
  const { seq } = entry
  const plain = part === undefined && setup.showsText ? plainPiece(entry) : undefined
  const extended = plain === undefined ? undefined : extendLast(state.waiting, plain)
  if (extended !== undefined) return { setup, seq, urgentSeq, intake, waiting: extended, output }
  const { raw, ...bare } = entry
  const { items, silent, thoughts } = takeApart(bare, {
    terms: setup.options.terms,
    thoughts: intake.thoughts,
    part,
  })
  let { waiting } = state
  for (const [index, item] of items.entries()) {
    const isLast = index === items.length - 1
    waiting = addItem(
      waiting,
      isLast && item.type === 'other' ? { ...item, characters: raw?.length ?? 0 } : item,
    )
  }
  for (const joined of silent) waiting = addSilent(waiting, joined)
  const added = encodeSilent({ setup, seq, urgentSeq, intake: { thoughts }, waiting, output })
  return countWaiting(added) > 0 ? added : { ...added, output: { ...added.output, cursor: { seq } } }
}
