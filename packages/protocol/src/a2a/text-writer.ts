import type { Meta, TextChannel, TextDelta } from '../events.ts'
import { omitUndefined } from '../omit-undefined.ts'
import type { OutputState } from '../session-state.ts'
import { tableGet } from '../table.ts'
import type { A2aArtifact } from './model.ts'
import { toModelPart } from './parts.ts'
import type { Reading } from './reading.ts'

/** Adds the events of one artifact's text to a reading. Takes and positions continue those of the session. */
export interface TextWriter {
  readonly delta: TextDelta
  /** The output before the frame. */
  readonly output: OutputState | undefined
  add(text: string): void
  reset(): void
  end(isInterrupted: boolean): void
}

export function createTextWriter(reading: Reading, delta: TextDelta): TextWriter {
  const { output: id, channel } = delta
  const output = tableGet(reading.session.outputs, id)
  const place = { take: Math.max(0, output?.take ?? 0), position: output?.open === true ? output.length : 0 }
  return {
    delta,
    output,
    add: (text) => reading.events.push({ ...delta, text, ...place }),
    reset: () => {
      place.take += 1
      place.position = 0
      const meta = delta.text === '' ? delta.meta : undefined
      const reset = { kind: 'text-reset', output: id, take: place.take } as const
      reading.events.push(omitUndefined({ ...reset, channel: channelOf(output, channel), meta }))
    },
    end: (isInterrupted) => {
      const meta = reading.events.length === 0 ? delta.meta : undefined
      const interrupted = isInterrupted ? true : undefined
      reading.events.push(
        omitUndefined({ kind: 'text-end', output: id, take: place.take, interrupted, meta }),
      )
    },
  }
}

function channelOf(output: OutputState | undefined, channel: TextChannel): TextChannel {
  return output === undefined || output.take < 0 ? channel : output.channel
}

/** Adds the files and data of an artifact. */
export function addParts(
  reading: Reading,
  artifact: A2aArtifact,
  { output, meta }: { readonly output: string; readonly meta?: Meta | undefined },
): void {
  for (const part of artifact.parts) {
    if (part.type === 'text') continue
    const added = toModelPart(part, reading.dialect)
    if (added.type === 'text') continue
    reading.events.push(omitUndefined({ kind: 'part-add', output, part: added, meta }))
  }
}
