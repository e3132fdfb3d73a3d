import { type Cursor, type SessionState, tablePick } from '@sluice/protocol'
import { aaepMintOf } from '@sluice/protocol/dialects'
import { type FoundPlace, findPlace, type JoinSource } from '../../../kernel/fan-out/find-place.ts'
import type { ViewSpec } from '../../../kernel/fan-out/position.ts'
import { type Tails, tailUnits } from './tails.ts'
import { type Thoughts, textKey } from './take-apart.ts'

/** Where a subscription joins a session. */
export interface PacedEntrance extends Pick<FoundPlace, 'cursor' | 'rest'> {
  /** The state of the encoder. */
  readonly encoder: unknown
  /** The prefix of all event ids that are minted for the session. */
  readonly mint: string
  readonly thoughts: Thoughts
  readonly tails: Tails
}

/** Joins a session at a cursor; undefined if there is nothing at the cursor. */
export async function enterPaced(
  spec: ViewSpec,
  source: JoinSource,
  at: Cursor,
): Promise<PacedEntrance | undefined> {
  const found = await findPlace(spec.dialect, source, at)
  if (found === undefined) return undefined
  const { cursor, state, rest } = found
  const entrance = enterBehind(spec, state, cursor)
  return rest === undefined ? entrance : { ...entrance, rest }
}

function enterBehind(spec: ViewSpec, state: SessionState, cursor: Cursor): PacedEntrance {
  // Paced events are encoded again, never copied, so that a reader gets the same ones wherever it joins.
  const { state: encoder } = spec.encoder.enter({ ...state, uniform: null }, cursor)
  const open = tablePick(state.outputs, state.open.outputs)
  const thoughts = open.filter(({ channel }) => channel === 'reasoning')
  return {
    encoder,
    cursor,
    mint: aaepMintOf(state.id),
    thoughts: new Set(thoughts.map(textKey)),
    tails: new Map(open.map((output) => [textKey(output), output.text.slice(-tailUnits)])),
  }
}
