import type { Readable } from 'node:stream'

/**
 * Reads the output of a program until it contains `part`, and returns it. Reading can continue after that.
 */
export async function awaitOutput(stdout: Readable, part: string): Promise<string> {
  let read = ''
  for await (const chunk of stdout.iterator({ destroyOnReturn: false })) {
    read += String(chunk)
    if (read.includes(part)) break
  }
  return read
}
