import type { Readable } from 'node:stream'

/** What a program has printed once this is part of it. Reading can go on behind it. */
export async function awaitOutput(stdout: Readable, part: string): Promise<string> {
  let read = ''
  for await (const chunk of stdout.iterator({ destroyOnReturn: false })) {
    read += String(chunk)
    if (read.includes(part)) break
  }
  return read
}
