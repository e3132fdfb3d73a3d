import type { SluiceEvent } from '../events.ts'
import { restAfter } from '../rest-after.ts'
import type { OutputState } from '../session-state.ts'
import { tableGet } from '../table.ts'
import { fromDeltaSluice, sluiceOf } from './carried.ts'
import { decodeEventParts } from './decode-event-part.ts'
import { type A2aArtifact, textOf } from './model.ts'
import { progressionOf } from './profile.ts'
import type { Reading } from './reading.ts'
import { addParts, createTextWriter } from './text-writer.ts'

/** Decodes an artifact of a task: all of it, compared with what the session has. */
export function decodeTaskArtifact(reading: Reading, artifact: A2aArtifact): void {
  const sluice = sluiceOf(artifact.metadata)
  if (sluice !== undefined && decodeEventParts(reading, artifact, sluice, true)) return
  const text = textOf(artifact.parts)
  const delta = fromDeltaSluice(sluice, artifact.artifactId, text)
  const output = tableGet(reading.session.outputs, delta.output)
  reading.artifacts.set(delta.output, artifact.artifactId)
  const { isFinal, isInterrupted } = progressionOf(artifact.metadata)
  const writer = createTextWriter(reading, delta, output)
  const isKnown = output !== undefined && output.take >= 0
  if (!artifact.parts.some((part) => part.type === 'text')) {
    // Only files.
  } else if (!isKnown) {
    writer.add(text)
    if (isFinal) writer.end(isInterrupted)
  } else if (output.open) {
    const rest = restAfter(output, text)
    if (rest === undefined) {
      writer.reset()
      writer.add(text)
    } else if (rest !== '') writer.add(rest)
    if (isFinal) writer.end(isInterrupted)
  } else if (restAfter(output, text) !== '') {
    writer.reset()
    writer.add(text)
    if (isFinal) writer.end(isInterrupted)
  }
  addMissingParts(reading, artifact, delta.output, output)
}

function addMissingParts(
  reading: Reading,
  artifact: A2aArtifact,
  id: string,
  output: OutputState | undefined,
): void {
  const added: SluiceEvent[] = []
  addParts({ ...reading, events: added }, artifact, id)
  const known = new Set(output?.parts.map((part) => JSON.stringify(part)))
  for (const event of added)
    if (event.kind === 'part-add' && !known.has(JSON.stringify(event.part))) reading.events.push(event)
}
