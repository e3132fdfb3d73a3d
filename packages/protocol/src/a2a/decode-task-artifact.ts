import type { SluiceEvent } from '../events.ts'
import { countCodePoints } from '../segment/code-points.ts'
import type { OutputState } from '../session-state.ts'
import { tableGet } from '../table.ts'
import { fromDeltaSluice, sluiceOf } from './carried.ts'
import { decodeEventParts } from './decode-event-part.ts'
import { type A2aArtifact, textOf } from './model.ts'
import { progressionOf } from './profile.ts'
import type { Reading } from './reading.ts'
import { addParts, createTextWriter } from './text-writer.ts'

/** An artifact of a task: all of it, compared with what the session has. */
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
    // Files alone.
  } else if (!isKnown) {
    writer.add(text)
    if (isFinal) writer.end(isInterrupted)
  } else if (output.open) {
    const open = output.text + (output.held ?? '')
    if (!text.startsWith(open)) {
      writer.reset()
      writer.add(text)
    } else if (text !== open) writer.add(text.slice(open.length))
    if (isFinal) writer.end(isInterrupted)
  } else if (!isEnded(output, text)) {
    writer.reset()
    writer.add(text)
    if (isFinal) writer.end(isInterrupted)
  }
  addMissingParts(reading, artifact, delta.output, output)
}

/** Whether an ended output holds `text`; where only open texts are kept, its length must do. */
function isEnded(output: OutputState, text: string): boolean {
  return output.text === text || (output.text === '' && output.length === countCodePoints(text))
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
