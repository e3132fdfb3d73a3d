import type { PartAdd, TextDelta, TextEnd, TextReset } from '../events.ts'
import type { Draft } from '../frames.ts'
import { createRecord, type JsonObject, type JsonValue } from '../json.ts'
import { countCodePoints, indexOfCodePoint } from '../segment/code-points.ts'
import { hashHex } from '../session-id.ts'
import { carriedMeta, toDeltaSluice } from './carried.ts'
import type { A2aArtifactUpdate, A2aFrame } from './model.ts'
import { fromModelPart } from './parts.ts'
import {
  activeMetadata,
  chunkName,
  completeMetadata,
  interruptMetadata,
  maxCompleteBytes,
} from './profile.ts'
import { safeId } from './safe-id.ts'
import { type A2aView, type OutputView, outputOf } from './view.ts'

/** The chunks of a delta; `view` has the delta already, `done` events of the entry are delivered before it. */
export function encodeDelta(view: A2aView, event: TextDelta, done: number): readonly Draft<A2aFrame>[] {
  const output = outputOf(view, event.output)
  if (output === undefined || (event.text === '' && event.meta?.implied === true)) return []
  const isAppended = event.position > 0 || (output.isOwn && output.hasParts && event.take === 0)
  const sluice = toDeltaSluice(event, output.artifact)
  if (event.text.length <= maxChunkPoints)
    return [{ value: chunk(view, output, event.text, isAppended, sluice), events: done + 1 }]
  const drafts: Draft<A2aFrame>[] = []
  let rest = event.text
  let points = 0
  while (rest.length > 0) {
    const piece = rest.slice(0, indexOfCodePoint(rest, maxChunkPoints))
    rest = rest.slice(piece.length)
    points += countCodePoints(piece)
    const value = chunk(view, output, piece, isAppended || drafts.length > 0, sluice)
    drafts.push(rest === '' ? { value, events: done + 1 } : { value, events: done, points })
  }
  return drafts
}

/** A chunk stays well below the 4 MiB at which stock clients stop, whatever its characters need in JSON. */
export const maxChunkPoints = 131_072

/** A take that begins: the text so far is replaced by none. `view` has it already. */
export function encodeReset(view: A2aView, event: TextReset): A2aArtifactUpdate | undefined {
  const output = outputOf(view, event.output)
  if (output === undefined) return undefined
  return chunk(view, output, '', false, { ...outputSluice(output, carriedMeta(event.meta)), reset: true })
}

export function chunk(
  view: A2aView,
  output: OutputView,
  text: string,
  isAppended: boolean,
  sluice: JsonObject | undefined,
): A2aArtifactUpdate {
  return {
    type: 'artifact-update',
    taskId: view.task,
    contextId: view.context,
    append: isAppended,
    lastChunk: false,
    artifact: {
      artifactId: output.artifact,
      name: chunkName(output.artifact, output.channel),
      parts: [{ type: 'text', text }],
      metadata: activeMetadata,
    },
    ...(sluice === undefined ? {} : { metadata: { sluice } }),
  }
}

/**
 * The end of a text: the complete message once more. Where nobody but us says that the text ended unfinished, and where
 * the message would be too large for stock clients, the text is not repeated. `view` is the one before the end.
 */
export function encodeEnd(view: A2aView, event: TextEnd): A2aArtifactUpdate | undefined {
  const output = outputOf(view, event.output)
  if (output === undefined) return undefined
  const { text } = output
  const isInterrupted = event.interrupted === true
  const metadata = isInterrupted ? interruptMetadata : completeMetadata
  const sluice = outputSluice(output, carriedMeta(event.meta))
  const isTold = text !== '' && isInterrupted && event.meta?.implied === true
  const isLarge = !isTold && isLargerThan(text, maxCompleteBytes)
  const digest = isLarge ? { sha256: hashHex(text, 64), length: countCodePoints(text) } : {}
  return {
    type: 'artifact-update',
    taskId: view.task,
    contextId: view.context,
    append: isTold || isLarge,
    lastChunk: false,
    artifact: {
      artifactId: output.artifact,
      name: chunkName(output.artifact, output.channel),
      parts: [{ type: 'text', text: isTold || isLarge ? '' : text }],
      metadata: { ...metadata, ...digest },
    },
    ...(sluice === undefined ? {} : { metadata: { sluice } }),
  }
}

/** Which output an artifact is, where its own id does not say it. */
export function outputSluice(output: OutputView, meta: JsonObject | undefined): JsonObject | undefined {
  const isSaid = output.output === output.artifact && output.channel === 'answer'
  if (isSaid && meta === undefined) return undefined
  const sluice = createRecord<JsonValue>()
  if (output.output !== output.artifact) sluice['output'] = safeId(output.output)
  if (output.channel !== 'answer') sluice['channel'] = output.channel
  if (meta !== undefined) sluice['meta'] = meta
  return sluice
}

/** Whether the JSON of a well-formed text needs more than so many bytes. */
function isLargerThan(text: string, bytes: number): boolean {
  // No UTF-16 unit needs more than six bytes in JSON.
  if (text.length * 6 <= bytes) return false
  // What JSON writes as it is, in one byte, is left out of the count: for 1 MiB of prose 0.8 ms instead of 4.5.
  const rest = text.replace(/[ !#-[\]-~]+/g, '')
  const json = JSON.stringify(rest)
  let size = text.length - rest.length
  for (let index = 0; index < json.length; index++) {
    const unit = json.charCodeAt(index)
    size += unit < 0x80 ? 1 : unit < 0x800 ? 2 : unit >= 0xd800 && unit <= 0xdfff ? 2 : 3
  }
  return size > bytes
}

/**
 * A file or data. Other dialects' outputs have an artifact of their own for them: the complete message replaces
 * everything in the artifact of the text. `view` is the one before the part.
 */
export function encodePart(
  view: A2aView,
  known: OutputView | undefined,
  output: OutputView,
  event: PartAdd,
  dialects: readonly string[],
): A2aArtifactUpdate {
  const artifactId = partsArtifact(output)
  const isAppended = output.isOwn
    ? known?.hasText === true || known?.hasParts === true
    : known?.hasParts === true
  const meta = carriedMeta(event.meta)
  const sluice = outputSluice({ ...output, artifact: artifactId }, meta)
  return {
    type: 'artifact-update',
    taskId: view.task,
    contextId: view.context,
    append: isAppended,
    lastChunk: false,
    artifact: {
      artifactId,
      name: artifactId,
      parts: [fromModelPart(event.part, dialects)],
    },
    ...(sluice === undefined ? {} : { metadata: { sluice } }),
  }
}

export function partsArtifact(output: OutputView): string {
  return output.isOwn ? output.artifact : `${output.artifact}.parts`
}
