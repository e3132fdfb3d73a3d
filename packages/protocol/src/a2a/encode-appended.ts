import type { Encoded } from '../dialect.ts'
import type { Entry } from '../entry.ts'
import type { TextDelta } from '../events.ts'
import { stringifyWellFormed } from '../well-formed-json.ts'
import { carriedMeta } from './carried.ts'
import { chunk, maxChunkPoints, outputSluice } from './encode-text.ts'
import { hasSkeleton } from './skeleton.ts'
import {
  type A2aView,
  advanceView,
  type ChunkPieces,
  type OutputView,
  outputOf,
  withLive,
  withText,
} from './view.ts'
import { type A2aWriter, isSound } from './writer.ts'

/**
 * The hot path: one delta that continues a text, built from the pieces that all such frames of an output
 * share. The frame equals the one of encodeDelta(). Undefined if the entry says more.
 */
export function encodeAppended(writer: A2aWriter, view: A2aView, entry: Entry): Encoded<A2aView> | undefined {
  const event = entry.events.length === 1 ? entry.events[0] : undefined
  if (event?.kind !== 'text-delta') return undefined
  const { text } = event
  if (event.position === 0 || text === '' || text.length > maxChunkPoints) return undefined
  if (hasSkeleton(event.meta?.ext, writer.dialects) && isSound(entry, writer.dialects)) return undefined
  const { live } = view
  const isLive = live !== undefined && live.output === event.output
  const next = isLive ? view : advanceView(view, event, writer.dialects)
  const output = isLive ? withText(live, event.take, text) : outputOf(next, event.output)
  if (output === undefined) return undefined
  const pieces = output.pieces ?? toPieces(next, output, writer)
  const members = membersOf(event, pieces.members)
  if (members.includes('\\ud')) return undefined // perhaps a lone surrogate
  const carried = members === '' ? '' : `${opening}{${members}}}`
  return {
    state: withLive(next, output.pieces === undefined ? { ...output, pieces } : output, { isCopy: false }),
    frames: [
      {
        data: pieces.before + JSON.stringify(text) + pieces.between + carried + pieces.after,
        cursor: { seq: entry.seq },
      },
    ],
  }
}

/** The members of toDeltaSluice() in JSON, after those of the output. */
function membersOf(event: TextDelta, shared: string): string {
  const { hint, contentType, language } = event
  let members = shared
  if (hint !== undefined) members = withMember(members, `"hint":${JSON.stringify(hint)}`)
  if (contentType !== undefined) members = withMember(members, `"contentType":${JSON.stringify(contentType)}`)
  if (language !== undefined) members = withMember(members, `"language":${JSON.stringify(language)}`)
  const meta = carriedMeta(event.meta)
  return meta === undefined ? members : withMember(members, `"meta":${JSON.stringify(meta)}`)
}

function withMember(members: string, member: string): string {
  return members === '' ? member : `${members},${member}`
}

const emptyText = '"text":""'
const opening = ',"metadata":{"sluice":'
const emptySluice = `${opening}{}}`

/** Quotes inside JSON strings are escaped, so the marks occur only where they were set. */
function toPieces(view: A2aView, output: OutputView, writer: A2aWriter): ChunkPieces {
  const json = stringifyWellFormed(
    writer.write(chunk(view, output, { text: '', isAppended: true, sluice: {} }), { isOwn: false }),
  )
  const text = json.lastIndexOf(emptyText) + emptyText.length
  const sluice = json.lastIndexOf(emptySluice)
  const shared = outputSluice(output, undefined)
  return {
    before: json.slice(0, text - 2),
    between: json.slice(text, sluice),
    after: json.slice(sluice + emptySluice.length),
    members: shared === undefined ? '' : JSON.stringify(shared).slice(1, -1),
  }
}
