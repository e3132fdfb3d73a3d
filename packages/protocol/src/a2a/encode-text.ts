import type { PartAdd, TextDelta, TextEnd, TextReset } from '../events.ts'
import type { Draft } from '../frames.ts'
import { createRecord, type JsonObject, type JsonValue } from '../json.ts'
import { omitUndefined } from '../omit-undefined.ts'
import { countCodePoints, indexOfCodePoint } from '../segment/code-points.ts'
import { carriedMeta, toDeltaSluice } from './carried.ts'
import type { A2aArtifactUpdate, A2aFrame } from './model.ts'
import { fromModelPart } from './parts.ts'
import { activeMetadata, chunkName, completeMetadata, interruptMetadata } from './profile.ts'
import { safeId } from './safe-id.ts'
import { type A2aView, type OutputView, outputOf } from './view.ts'

/**
 * The chunks of a delta. `view` already includes the delta; `done` events of the entry are delivered before
 * it.
 */
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

/**
 * Keeps a chunk well below the 4 MiB at which stock clients stop, however many bytes its characters need in
 * JSON.
 */
export const maxChunkPoints = 131_072

/** The start of a take: replaces the text so far with an empty one. `view` already includes the event. */
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
  return omitUndefined({
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
    metadata: sluice === undefined ? undefined : { sluice },
  })
}

/**
 * The end of a text: repeats the complete message. Leaves the text out if only Sluice says that it ended
 * unfinished, or if it is too long: then the metadata has its length. `view` is the view before the end.
 */
export function encodeEnd(view: A2aView, event: TextEnd): A2aArtifactUpdate | undefined {
  const output = outputOf(view, event.output)
  if (output === undefined) return undefined
  const { text } = output
  const isInterrupted = event.interrupted === true
  const metadata = isInterrupted ? interruptMetadata : completeMetadata
  const sluice = outputSluice(output, carriedMeta(event.meta))
  const isOnlyOurs = text !== '' && isInterrupted && event.meta?.implied === true
  const repeated = isOnlyOurs ? undefined : text
  return omitUndefined({
    type: 'artifact-update',
    taskId: view.task,
    contextId: view.context,
    append: repeated === undefined,
    lastChunk: false,
    artifact: {
      artifactId: output.artifact,
      name: chunkName(output.artifact, output.channel),
      parts: [{ type: 'text', text: repeated ?? '' }],
      metadata: text === undefined ? { ...metadata, length: output.length } : metadata,
    },
    metadata: sluice === undefined ? undefined : { sluice },
  })
}

/** Names the output and the channel of an artifact if its id does not imply them. */
export function outputSluice(output: OutputView, meta: JsonObject | undefined): JsonObject | undefined {
  const isSaid = output.output === output.artifact && output.channel === 'answer'
  if (isSaid && meta === undefined) return undefined
  const sluice = createRecord<JsonValue>()
  if (output.output !== output.artifact) sluice['output'] = safeId(output.output)
  if (output.channel !== 'answer') sluice['channel'] = output.channel
  if (meta !== undefined) sluice['meta'] = meta
  return sluice
}

/**
 * A file or data. An output of another dialect has a separate artifact for its parts, because the complete
 * message replaces everything in the artifact of the text. `view` is the view before the part.
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
  return omitUndefined({
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
    metadata: sluice === undefined ? undefined : { sluice },
  })
}

export function partsArtifact(output: OutputView): string {
  return output.isOwn ? output.artifact : `${output.artifact}.parts`
}
