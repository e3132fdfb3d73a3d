import type { Readable } from 'node:stream'
import { createNdjsonDecoder, type FramedText, type FramingFault } from '@sluice/protocol'
import type { Patience } from './patience.ts'

/** The longest line that is read. A screenshot in the result of a tool can exceed a megabyte. */
export const maxLineBytes = 16 * 1024 * 1024
/** The most that is read after a program has exited: a pipe cannot hold more. */
const maxLeftBytes = 4 * 1024 * 1024

/** Why a run failed that neither reported its end nor exited after its output. */
export const closedOutput = 'closed its output and did not exit'

export interface LineReader {
  readonly patience: Patience
  /** Whether the program has exited. */
  isGone(): boolean
  /** The next line is read when this resolves. */
  take(line: FramedText | FramingFault): Promise<void>
}

/** Reads the output of a program line by line to its end. */
export async function readLines(stdout: Readable, { patience, isGone, take }: LineReader): Promise<void> {
  const lines = createNdjsonDecoder({ maxLineBytes })
  const chunks = stdout.iterator()
  for (let leftBytes = 0; leftBytes <= maxLeftBytes; ) {
    patience.wait()
    const chunk = await chunks.next().catch(() => ({ done: true, value: undefined }) as const)
    patience.rest()
    if (chunk.done === true) break
    for (const line of lines.push(chunk.value)) await take(line)
    if (isGone()) leftBytes += chunk.value.length
  }
  stdout.destroy()
  for (const line of lines.end()) await take(line)
}
