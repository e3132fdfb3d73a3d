import type { Meta, TextChannel, TextDelta } from '../events.ts'
import { omitUndefined } from '../omit-undefined.ts'
import type { OutputState } from '../session-state.ts'
import type { A2aArtifact } from './model.ts'
import { toModelPart } from './parts.ts'
import type { Reading } from './reading.ts'

/** Adds the events of one artifact's text to a reading. Takes and positions continue those of the session. */
export interface TextWriter {
  readonly delta: TextDelta
  add(text: string): void
  reset(): void
  end(isInterrupted: boolean): void
}

export function createTextWriter(
  reading: Reading,
  delta: TextDelta,
  output: OutputState | undefined,
): TextWriter {
  const { output: id, channel } = delta
  const place = { take: Math.max(0, output?.take ?? 0), position: output?.open === true ? output.length : 0 }
  const at = delta.meta === undefined ? {} : { meta: delta.meta }
  return {
    delta,
    add: (text) => reading.events.push({ ...delta, text, ...place }),
    reset: () => {
      place.take += 1
      place.position = 0
      reading.events.push({
        kind: 'text-reset',
        output: id,
        take: place.take,
        channel: channelOf(output, channel),
        ...(delta.text === '' ? at : {}),
      })
    },
    end: (isInterrupted) =>
      reading.events.push({
        kind: 'text-end',
        output: id,
        take: place.take,
        ...(isInterrupted ? { interrupted: true as const } : {}),
        ...(reading.events.length === 0 ? at : {}),
      }),
  }
}

function channelOf(output: OutputState | undefined, channel: TextChannel): TextChannel {
  return output === undefined || output.take < 0 ? channel : output.channel
}

/** Adds the files and data of an artifact. */
export function addParts(
  reading: Reading,
  artifact: A2aArtifact,
  output: string,
  meta: Meta | undefined = undefined,
): void {
  for (const part of artifact.parts) {
    if (part.type === 'text') continue
    const added = toModelPart(part, reading.dialect)
    if (added.type === 'text') continue
    reading.events.push(omitUndefined({ kind: 'part-add', output, part: added, meta }))
  }
}
