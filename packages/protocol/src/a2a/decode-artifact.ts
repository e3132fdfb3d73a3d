import { restAfter } from '../rest-after.ts'
import type { OutputState } from '../session-state.ts'
import { fromDeltaSluice, sluiceOf } from './carried.ts'
import { readEventParts } from './decode-event-part.ts'
import { type A2aArtifact, type A2aArtifactUpdate, textOf } from './model.ts'
import { hasKeys, isActiveMetadata, progressionOf } from './profile.ts'
import { find, type Reading } from './reading.ts'
import { a2aRules } from './rules.ts'
import { addParts, createTextWriter, type TextWriter } from './text-writer.ts'

/** How the frame of an artifact update relates to its events. */
export interface ArtifactReading {
  /** The frame repeats the open text; its events hold only the addition. */
  readonly isWhole: boolean
  /** The encoder writes the same frame from the events alone, so nothing else of it is kept. */
  readonly isPlain: boolean
}

/** An artifact update: text, its end, parts, or events of the model in data parts. */
export function decodeArtifactUpdate(reading: Reading, update: A2aArtifactUpdate): ArtifactReading {
  const { artifact } = update
  const sluice = sluiceOf(update.metadata)
  const carried = sluice === undefined ? undefined : readEventParts(reading, artifact, sluice)
  if (carried !== undefined) {
    for (const event of carried) reading.events.push(event)
    return kept
  }
  const isAppended = update.append === true
  const before = reading.events.length
  const text = textOf(artifact.parts)
  const hasText = artifact.parts.some((part) => part.type === 'text')
  const delta = fromDeltaSluice(sluice, artifact.artifactId, text)
  const writer = createTextWriter(reading, delta)
  const { output } = writer
  reading.artifacts.set(delta.output, artifact.artifactId)
  if (isAppended && output === undefined) find(reading, a2aRules.appendToUnknown, '/append')
  const { isFinal, isInterrupted } = progressionOf(artifact.metadata)
  if (sluice?.['reset'] === true && !isAppended && text === '') {
    writer.reset()
    return kept
  }
  const isLast = update.lastChunk === true
  let isWhole = false
  if (hasText && isAppended) append(reading, writer, artifact)
  else if (hasText) isWhole = replace(reading, writer, { isFinal, isLast })
  addParts(reading, artifact, { output: delta.output, meta: hasText ? undefined : delta.meta })
  if ((isFinal || isLast) && (hasText || output?.open === true)) writer.end(isInterrupted)
  const added = reading.events.length - before
  const isPlain = added === 1 && !isWhole && sluice === undefined && isPlainChunk(reading, update, output)
  return { isWhole, isPlain }
}

const kept: ArtifactReading = { isWhole: false, isPlain: false }

function append(reading: Reading, writer: TextWriter, { metadata }: A2aArtifact): void {
  const { output } = writer
  const { text } = writer.delta
  const isEnded = output !== undefined && output.take >= 0 && !output.open
  if (isEnded) {
    find(reading, a2aRules.appendAfterEnd, '/append')
    if (text === '') return
  }
  if (text === '' && output?.open === true && progressionOf(metadata).isFinal) {
    // Replaces a complete message that is too long to be repeated.
    const length = metadata?.['length']
    if (typeof length === 'number' && length !== output.length)
      find(reading, a2aRules.finalTextDiffers, '/artifact/metadata')
    return
  }
  writer.add(text)
}

/**
 * Replaces the text of an artifact; a text that continues the open one is appended. Returns whether the frame
 * repeats the open text.
 */
function replace(
  reading: Reading,
  writer: TextWriter,
  { isFinal, isLast }: { isFinal: boolean; isLast: boolean },
): boolean {
  const { output } = writer
  const { text } = writer.delta
  if (output === undefined || output.take < 0 || (output.open && output.length === 0)) {
    writer.add(text)
    return false
  }
  const rest = output.open ? restAfter(output, text) : undefined
  if (rest === '') {
    if (!isFinal && !isLast) writer.add('')
    return true
  }
  if (output.open && isFinal) find(reading, a2aRules.finalTextDiffers, '/artifact/parts')
  if (rest !== undefined && !isFinal) {
    writer.add(rest)
    return true
  }
  if (output.open && isLast && !isFinal) find(reading, a2aRules.lastChunkTruncates, '/append')
  writer.reset()
  writer.add(text)
  return false
}

/** True for a chunk of the stream_delta profile that says nothing besides its text. */
function isPlainChunk(reading: Reading, update: A2aArtifactUpdate, output: OutputState | undefined): boolean {
  const { artifact, append } = update
  const [part] = artifact.parts
  const only = reading.events[reading.events.length - 1]
  return (
    update.metadata === undefined &&
    update.rest === undefined &&
    update.lastChunk !== true &&
    artifact.parts.length === 1 &&
    part?.type === 'text' &&
    hasKeys(part, 2) &&
    (output === undefined || output.length > 0 || output.take > 0) &&
    only?.kind === 'text-delta' &&
    (append === true) === (output?.open === true && output.length > 0) &&
    artifact.name === artifact.artifactId &&
    artifact.description === undefined &&
    artifact.extensions === undefined &&
    artifact.rest === undefined &&
    isActiveMetadata(artifact.metadata)
  )
}
