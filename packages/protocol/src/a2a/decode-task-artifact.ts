import type { SluiceEvent } from '../events.ts'
import { restAfter } from '../rest-after.ts'
import type { SessionState } from '../session-state.ts'
import { tableGet } from '../table.ts'
import { fromDeltaSluice, sluiceOf } from './carried.ts'
import { readEventParts } from './decode-event-part.ts'
import { type A2aArtifact, textOf } from './model.ts'
import { progressionOf } from './profile.ts'
import type { Reading } from './reading.ts'
import { addParts, createTextWriter, type TextWriter } from './text-writer.ts'

/** Decodes an artifact of a task: all of it, compared with what the session has. */
export function decodeTaskArtifact(reading: Reading, artifact: A2aArtifact): void {
  const sluice = sluiceOf(artifact.metadata)
  const carried = sluice === undefined ? undefined : readEventParts(reading, artifact, sluice)
  if (carried !== undefined) {
    for (const event of carried) if (isMissing(reading.session, event)) reading.events.push(event)
    return
  }
  const text = textOf(artifact.parts)
  const delta = fromDeltaSluice(sluice, artifact.artifactId, text)
  const writer = createTextWriter(reading, delta)
  const { output } = writer
  reading.artifacts.set(delta.output, artifact.artifactId)
  const { isFinal, isInterrupted } = progressionOf(artifact.metadata)
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
  addMissingParts(reading, artifact, writer)
}

/** An event of a data part that the session does not know: a task repeats those that it does. */
function isMissing(session: SessionState, event: SluiceEvent): boolean {
  if (event.kind === 'tool-call' || event.kind === 'tool-call-delta')
    return tableGet(session.calls, event.call) === undefined
  if (event.kind === 'tool-result') return tableGet(session.calls, event.call)?.status === undefined
  if (event.kind === 'sources') return session.sources.length === 0
  if (event.kind === 'state-data') return session.data === undefined
  return !session.started
}

function addMissingParts(reading: Reading, artifact: A2aArtifact, { delta, output }: TextWriter): void {
  const added: SluiceEvent[] = []
  addParts({ ...reading, events: added }, artifact, { output: delta.output })
  const known = new Set(output?.parts.map((part) => JSON.stringify(part)))
  for (const event of added)
    if (event.kind === 'part-add' && !known.has(JSON.stringify(event.part))) reading.events.push(event)
}
