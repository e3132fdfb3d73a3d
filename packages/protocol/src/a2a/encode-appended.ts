import type { Encoded } from '../dialect.ts'
import type { Entry } from '../entry.ts'
import type { TextDelta } from '../events.ts'
import { stringifyWellFormed } from '../well-formed-json.ts'
import { toDeltaSluice } from './carried.ts'
import { chunk, maxChunkPoints } from './encode-text.ts'
import { hasSkeleton } from './skeleton.ts'
import { type A2aView, advanceView, type OutputView, outputOf, withLive } from './view.ts'
import { type A2aWriter, isSound } from './writer.ts'

/**
 * The hot path: one delta that continues a text, made of the pieces that all such frames of an output share. The frame
 * is the one that encodeDelta() gives. Undefined where there is more to it.
 */
export function encodeAppended(
  view: A2aView,
  event: TextDelta,
  entry: Entry,
  writer: A2aWriter,
): Encoded<A2aView> | undefined {
  if (event.position === 0 || event.text.length > maxChunkPoints) return undefined
  if (hasSkeleton(event.meta?.ext, writer.dialects) && isSound(entry, writer.dialects)) return undefined
  const next = advanceView(view, event, writer.dialects)
  const output = outputOf(next, event.output)
  if (output === undefined || event.text === '') return undefined
  const pieces = output.pieces ?? toPieces(next, output, writer)
  const sluice = toDeltaSluice(event, output.artifact)
  const carried = sluice === undefined ? '' : `${opening}${stringifyWellFormed(sluice)}}`
  return {
    state: withLive(next, output.pieces === undefined ? { ...output, pieces } : output, false),
    frames: [
      {
        data: pieces[0] + JSON.stringify(event.text) + pieces[1] + carried + pieces[2],
        cursor: { seq: entry.seq },
      },
    ],
  }
}

const emptyText = '"text":""'
const opening = ',"metadata":{"sluice":'
const emptySluice = `${opening}{}}`

/** Quotes inside JSON strings are escaped, so the marks are found nowhere but where they were set. */
function toPieces(view: A2aView, output: OutputView, writer: A2aWriter): readonly [string, string, string] {
  const json = stringifyWellFormed(writer.write(chunk(view, output, '', true, {}), false))
  const text = json.lastIndexOf(emptyText) + emptyText.length
  const sluice = json.lastIndexOf(emptySluice)
  return [json.slice(0, text - 2), json.slice(text, sluice), json.slice(sluice + emptySluice.length)]
}
