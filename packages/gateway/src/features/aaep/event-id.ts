import { type Cursor, omitUndefined } from '@sluice/protocol'
import { aaepMintOf } from '@sluice/protocol/dialects'

/** What an event id minted by the gateway contains. */
export interface MintedId {
  readonly cursor: Cursor
  /**
   * Only in ids of events that introduce a session: how many of the open questions were sent up to this
   * event.
   */
  readonly told?: number
}

/** Event ids count frames of this dialect only. */
const aaepDialect = 'aaep'

const minted = /^c(\d{1,15})(?:u(\d{1,15})(?:e(\d{1,15}))?(?:f(\d{1,15}))?)?$/
const joining = /^j(\d{1,15})q(\d{1,6})$/

/** Parses an event id that was minted for a session; undefined for any other id. */
export function parseEventId(session: string, id: string): MintedId | undefined {
  const mint = aaepMintOf(session)
  if (!id.startsWith(mint)) return undefined
  const rest = id.slice(mint.length)
  const [, at, told] = joining.exec(rest) ?? []
  if (at !== undefined) return { cursor: { seq: Number(at) }, told: Number(told) }
  const [, seq, units, empty, frames] = minted.exec(rest) ?? []
  if (seq === undefined) return undefined
  return {
    cursor: omitUndefined({
      seq: Number(seq),
      units: toNumber(units),
      empty: toNumber(empty),
      frames: toNumber(frames),
      dialect: frames === undefined ? undefined : aaepDialect,
    }),
  }
}

function toNumber(digits: string | undefined): number | undefined {
  return digits === undefined ? undefined : Number(digits)
}

/** The id of an event that introduces a session at `seq`; `told` as in MintedId. */
export function joiningId(session: string, seq: number, told: number): string {
  return `${aaepMintOf(session)}j${seq}q${told}`
}
