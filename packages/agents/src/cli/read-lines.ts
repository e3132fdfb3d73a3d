import type { Readable } from 'node:stream'
import { createNdjsonDecoder, type FramedText, type FramingFault } from '@sluice/protocol'
import type { Patience } from './patience.ts'

/** The longest line that is read: a screenshot in a tool's result takes more than a megabyte. */
export const maxLineBytes = 16 * 1024 * 1024
/** The most that is read once a program is gone: more than a pipe holds was not written by it. */
const maxLeftBytes = 4 * 1024 * 1024

/** Reads what a program prints, line by line, as fast as `take` takes it, until there is no more. */
export async function readLines(
  stdout: Readable,
  patience: Patience,
  isGone: () => boolean,
  take: (line: FramedText | FramingFault) => Promise<void>,
): Promise<void> {
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
