import {
  type Cursor,
  divideEntry,
  type Entry,
  type SessionState,
  startCursor,
  tableValues,
  unitsOf,
} from '@sluice/protocol'
import { aaepMintOf } from '@sluice/protocol/dialects'
import type { JoinSource, Position, ViewSpec } from '../../../kernel/fan-out/position.ts'
import { type Thoughts, textKey } from './item.ts'

/** So much of a text tells its boundaries. */
export const tailUnits = 256

/** Where a subscription joins a session, and what is left of the entry in which it does. */
export interface PacedEntrance {
  readonly position: Position
  readonly cursor: Cursor
  /** Begins every event id that is minted for the session. */
  readonly mint: string
  readonly thoughts: Thoughts
  /** The end of each open text, by `textKey`. */
  readonly tails: Map<string, string>
  readonly rest?: { readonly entry: Entry; readonly from: number }
}

/** Joins a session at a cursor; undefined when the cursor points to where nothing is. */
export async function enterPaced(
  spec: ViewSpec,
  source: JoinSource,
  cursor: Cursor,
): Promise<PacedEntrance | undefined> {
  if (cursor.seq > source.lastSeq) return undefined
  if (cursor.units === undefined || cursor.seq < 0) {
    const at = cursor.seq < 0 ? startCursor : cursor
    return enterBehind(spec, await source.stateAt(at.seq), at)
  }
  const entry = await source.entryAt(cursor.seq)
  const units = entry?.events.reduce((sum, event) => sum + unitsOf(event), 0) ?? 0
  if (entry === undefined || cursor.units > units) return undefined
  const { state, rest } = divideEntry(await source.stateAt(cursor.seq - 1), entry, cursor.units)
  return { ...enterBehind(spec, state, cursor), rest: { entry: rest, from: cursor.units } }
}

function enterBehind(spec: ViewSpec, state: SessionState, cursor: Cursor): PacedEntrance {
  // What is paced is no copy of what came in, from its start on: it reads the same from anywhere.
  const { state: encoder } = spec.encoder.enter({ ...state, uniform: null }, cursor)
  const open = tableValues(state.outputs).filter((output) => output.open)
  const thoughts = open.filter(({ channel }) => channel === 'reasoning')
  return {
    position: { seq: cursor.seq, encoder, held: undefined, skip: 0, last: undefined },
    cursor,
    mint: aaepMintOf(state.id),
    thoughts: new Set(thoughts.map(textKey)),
    tails: new Map(open.map((output) => [textKey(output), output.text.slice(-tailUnits)])),
  }
}
