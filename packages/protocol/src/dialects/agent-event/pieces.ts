import { fromCarried } from '../../carry.ts'
import type { SluiceEvent } from '../../events.ts'
import { maxFrameDepth } from '../../intake.ts'
import { isDeeperThan, isJsonObject, type JsonObject, type JsonValue } from '../../json.ts'
import { stringifyWellFormed } from '../../well-formed-json.ts'
import { splitUtf8 } from './bounds.ts'

/** The pieces so far of a question too large for the data of one frame. */
export interface Pieces {
  readonly next: number
  readonly of: number
  readonly json: string
}

// JSON text inside a JSON string at most doubles: only its backslashes and quotes need escapes.
const maxPieceBytes = 30_000
const maxPieces = 256

/** The message of every piece except the last, which has the question's own. */
export const longQuestion = 'A long question follows.'

/** The `data.sluice` of each of the frames that together carry `event`. */
export function toPieces(event: JsonObject): readonly JsonObject[] {
  const pieces = splitUtf8(stringifyWellFormed(event), maxPieceBytes)
  return pieces.slice(0, maxPieces).map((json, piece) => ({ piece, of: pieces.length, json }))
}

export interface JoinedPiece {
  readonly pieces?: Pieces
  readonly event?: SluiceEvent
}

/** Adds the next piece; undefined if `sluice` is not a piece, or not the next one. */
export function joinPiece(
  before: Pieces | undefined,
  sluice: JsonValue | undefined,
): JoinedPiece | undefined {
  if (!isJsonObject(sluice)) return undefined
  const { piece, of, json } = sluice
  if (typeof piece !== 'number' || typeof of !== 'number' || typeof json !== 'string') return undefined
  const known = piece === 0 ? { next: 0, of, json: '' } : before
  if (known?.next !== piece || known.of !== of || of > maxPieces || json.length > maxPieceBytes)
    return undefined
  const joined = known.json + json
  if (piece + 1 < of) return { pieces: { next: piece + 1, of, json: joined } }
  const event = parseCarried(joined)
  return event?.kind === 'question-open' ? { event } : undefined
}

function parseCarried(json: string): SluiceEvent | undefined {
  try {
    const value = JSON.parse(json) as JsonValue // JSON.parse returns nothing else
    return isDeeperThan(value, maxFrameDepth) ? undefined : fromCarried(value)
  } catch {
    return undefined
  }
}
