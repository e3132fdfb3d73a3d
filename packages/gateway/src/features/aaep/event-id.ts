import type { Cursor } from '@sluice/protocol'
import { aaepMintOf } from '@sluice/protocol/dialects'

/** What an event id of our making tells. */
export interface MintedId {
  readonly cursor: Cursor
  /** It is one of those with which a reader joined: so many of the open questions were told with it. */
  readonly told?: number
}

const minted = /^c(\d{1,15})(?:u(\d{1,15})(?:f(\d{1,15}))?)?$/
const joining = /^j(\d{1,15})q(\d{1,6})$/

/** Reads an event id that was minted for a session; undefined when it was not. */
export function parseEventId(session: string, id: string): MintedId | undefined {
  const mint = aaepMintOf(session)
  if (!id.startsWith(mint)) return undefined
  const rest = id.slice(mint.length)
  const [, at, told] = joining.exec(rest) ?? []
  if (at !== undefined) return { cursor: { seq: Number(at) }, told: Number(told) }
  const [, seq, units, frames] = minted.exec(rest) ?? []
  if (seq === undefined) return undefined
  return {
    cursor: {
      seq: Number(seq),
      ...(units === undefined ? {} : { units: Number(units) }),
      ...(frames === undefined ? {} : { frames: Number(frames) }),
    },
  }
}

/** The id of an event with which a reader joins behind `seq`, after so many open questions. */
export function joiningId(session: string, seq: number, told: number): string {
  return `${aaepMintOf(session)}j${seq}q${told}`
}
