import type { PartAdd, TextDelta, TextEnd, TextReset } from '../events.ts'
import type { Draft } from '../frames.ts'
import { createRecord, type JsonObject, type JsonValue } from '../json.ts'
import { omitUndefined } from '../omit-undefined.ts'
import { countCodePoints, indexOfCodePoint } from '../segment/code-points.ts'
import { carriedMeta, toDeltaSluice } from './carried.ts'
import type { A2aArtifact, A2aArtifactUpdate, A2aFrame } from './model.ts'
import type { Moment } from './moment.ts'
import { fromModelPart } from './parts.ts'
import { activeMetadata, chunkName, completeMetadata, interruptMetadata } from './profile.ts'
import { safeId } from './safe-id.ts'
import { type A2aView, type OutputView, outputOf } from './view.ts'

/** The chunks of a delta, their places counted from it. `view` already includes the delta. */
export function encodeDelta(view: A2aView, event: TextDelta): readonly Draft<A2aFrame>[] {
  const output = outputOf(view, event.output)
  if (output === undefined || (event.text === '' && event.meta?.implied === true)) return []
  const isAppended = event.position > 0 || (output.isOwn && output.hasParts && event.take === 0)
  const sluice = toDeltaSluice(event, output.artifact)
  if (event.text.length <= maxChunkPoints)
    return [{ value: chunk(view, output, { text: event.text, isAppended, sluice }), events: 1 }]
  const drafts: Draft<A2aFrame>[] = []
  let rest = event.text
  let points = 0
  while (rest.length > 0) {
    const text = rest.slice(0, indexOfCodePoint(rest, maxChunkPoints))
    rest = rest.slice(text.length)
    points += countCodePoints(text)
    const value = chunk(view, output, { text, isAppended: isAppended || drafts.length > 0, sluice })
    drafts.push(rest === '' ? { value, events: 1 } : { value, events: 0, points })
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
  const sluice = { ...outputSluice(output, carriedMeta(event.meta)), reset: true }
  return chunk(view, output, { text: '', isAppended: false, sluice })
}

interface ChunkContent {
  readonly text: string
  readonly isAppended: boolean
  readonly sluice: JsonObject | undefined
}

export function chunk(
  view: A2aView,
  output: OutputView,
  { text, isAppended, sluice }: ChunkContent,
): A2aArtifactUpdate {
  const artifact = toTextArtifact(output, text, activeMetadata)
  return artifactUpdate(view, artifact, { append: isAppended, sluice })
}

function toTextArtifact(output: OutputView, text: string, metadata: JsonObject): A2aArtifact {
  return {
    artifactId: output.artifact,
    name: chunkName(output.artifact, output.channel),
    parts: [{ type: 'text', text }],
    metadata,
  }
}

function artifactUpdate(
  view: A2aView,
  artifact: A2aArtifact,
  { append, sluice }: { readonly append: boolean; readonly sluice: JsonObject | undefined },
): A2aArtifactUpdate {
  return omitUndefined({
    type: 'artifact-update',
    taskId: view.task,
    contextId: view.context,
    append,
    lastChunk: false,
    artifact,
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
  const said = text === undefined ? { ...metadata, length: output.length } : metadata
  const artifact = toTextArtifact(output, repeated ?? '', said)
  return artifactUpdate(view, artifact, { append: repeated === undefined, sluice })
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
 * message replaces everything in the artifact of the text.
 */
export function encodePart(
  { before, view, dialects }: Moment,
  event: PartAdd,
): A2aArtifactUpdate | undefined {
  const known = outputOf(before, event.output)
  const output = outputOf(view, event.output)
  if (output === undefined) return undefined
  const artifactId = partsArtifact(output)
  const isAppended = output.isOwn
    ? known?.hasText === true || known?.hasParts === true
    : known?.hasParts === true
  const meta = carriedMeta(event.meta)
  const sluice = outputSluice({ ...output, artifact: artifactId }, meta)
  const artifact = { artifactId, name: artifactId, parts: [fromModelPart(event.part, dialects)] }
  return artifactUpdate(view, artifact, { append: isAppended, sluice })
}

export function partsArtifact(output: OutputView): string {
  return output.isOwn ? output.artifact : `${output.artifact}.parts`
}
